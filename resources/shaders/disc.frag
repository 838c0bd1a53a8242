// A disc with an edge one pixel soft and, where it is large enough, a hair-line rim. Premultiplied alpha.
varying vec2 v_from_centre;
varying float v_radius;
varying float v_inner;
varying float v_rim;
varying vec4 v_color;

void main() {
    float d = length(v_from_centre);
    float cover = clamp(v_radius + 0.5 - d, 0.0, 1.0) * v_color.a;
    float shade = 1.0 - v_rim * clamp(d - v_inner, 0.0, 1.0);
    gl_FragColor = vec4(v_color.rgb * shade * cover, cover);
}
