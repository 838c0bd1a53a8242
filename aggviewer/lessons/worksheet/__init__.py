"""The sheet of a lesson for print: tasks and room for answers, and a page with the answers for the teacher."""
