// A shaded sphere with an edge one pixel soft; the same light as in aggviewer/canvas/sphere_kernels.py.
// Premultiplied alpha: spheres are drawn from back to front.
varying vec2 v_from_centre;
varying vec2 v_from_edge;
varying vec2 v_from_face;
varying vec3 v_radii;
varying float v_far;
varying vec4 v_color;
varying vec4 v_shadow;
varying vec4 v_squares;
varying float v_yz;

uniform vec3 u_background;
uniform vec4 u_look;   // ambient, diffuse, gloss, rim
uniform vec3 u_light;
uniform vec3 u_halfway;
uniform float u_darkest; // share of its light that a point loses from which neighbours hide everything
uniform float u_cut;   // light on the flat face of a cut

void main() {
    float cover = clamp(v_radii.y + 0.5 - length(v_from_edge), 0.0, 1.0) * v_color.a;
    vec2 across = v_from_centre / v_radii.x;
    vec3 normal = vec3(across, sqrt(max(1.0 - dot(across, across), 0.0)));
    float shade = u_look.x + u_look.y * max(dot(normal, u_light), 0.0);
    shade *= min(1.0 - u_look.w + 2.0 * u_look.w * normal.z, 1.0);
    float gloss = u_look.z * pow(max(dot(normal, u_halfway), 0.0), 24.0);
    float hidden = v_shadow.x + dot(v_shadow.yzw, normal) + v_yz * normal.y * normal.z
        + dot(v_squares, normal.xyxx * normal.xyyz);
    hidden = max(hidden, 0.0);
    float keeps = 1.0 - u_darkest * hidden / (1.0 + hidden);
    shade *= keeps;
    gloss *= keeps;
    float flat_part = v_radii.z > 0.0 ? clamp(v_radii.z + 0.5 - length(v_from_face), 0.0, 1.0) : 0.0;
    if (v_radii.z >= v_radii.y) flat_part = 1.0; // nothing but the face is seen
    shade = mix(shade, u_cut, flat_part);
    gloss *= 1.0 - flat_part;
    vec3 lit = (1.0 - v_far) * (shade * v_color.rgb + gloss) + v_far * u_background;
    gl_FragColor = vec4(min(lit, 1.0) * cover, cover);
}
