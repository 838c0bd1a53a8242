"""Pictures and films in files: PNG, SVG, PDF, MP4, WebM, GIF and folders of PNG. No display is needed.

- `pictures.write_picture`, `pictures.picture_image`: the discs as a file, or as a QImage for the clipboard.
- `figure.Figure`, `figure.Page`: pictures and plots on a page for print, as PDF, SVG or PNG.
- `tables.write_table`: the data of a plot as CSV.
- `film.write_film`, `film.estimate`, `film.FilmSpec`: a film of a `sources.FrameSource`, in the calling thread.
- `aggviewer.canvas.picture.ensure_gui()`: Qt's application where there is none yet, without a display if need be.

What cannot be used or written is an `engine.errors.InputError` with one sentence.
"""
