// The density image: a square over the whole picture, row 0 of the image on top.
attribute vec2 a_corner;
varying vec2 v_at;

void main() {
    v_at = vec2(0.5 + 0.5 * a_corner.x, 0.5 - 0.5 * a_corner.y);
    gl_Position = vec4(a_corner, 0.0, 1.0);
}
