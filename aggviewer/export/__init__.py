"""Pictures and films in files: PNG, SVG, PDF, MP4, WebM, GIF and folders of PNG. No display is needed.

- `pictures.write_picture`, `pictures.pictures_image`: the discs as a file, or as a QImage for the clipboard.
- `figure.Figure`, `figure.Page`: pictures and plots on a page for print, as PDF, SVG or PNG.
- `files.write_table`: the data of a plot as CSV.
- `film.write_film`, `spec.FilmSpec`: a film of runs (`sources.FrameSource`), in the calling thread.
- `aggviewer.canvas.picture.ensure_gui()`: creates Qt's application if there is none, without a display if necessary.

Invalid input and files that cannot be written raise `engine.errors.InputError` with one sentence.
"""
