// One instance is one sphere: a square that just holds its outline. Lengths in device pixels but for a_offset and a_radius.
attribute vec2 a_corner;   // static: corners of the square, -1 or 1
attribute vec2 a_offset;   // per sphere: to the right and up from the middle of the view, world units
attribute float a_radius;  // per sphere, world units
attribute float a_scalar;  // per sphere: what it is coloured by
attribute float a_near;    // per sphere: 0 at the back of the box, 1 at its front
attribute vec4 a_cut;      // per sphere, what the slab leaves: outline and flat face, how much farther from the middle of
                           // the view than the centre, and the radius over that of the sphere
attribute vec4 a_shadow;   // per sphere, what neighbours hide of the light: the factors of 1, x, y, z,
attribute vec4 a_squares;  // xx, yy, xy, xz
attribute float a_yz;      // and yz, where (x, y, z) is the normal

uniform vec2 u_half;       // half the picture
uniform float u_scale;     // pixels per world unit
uniform vec3 u_ramp;       // lower limit, entries per unit, 1.0 for a logarithmic scale
uniform float u_haze;      // share of the background at the back of the box
uniform sampler2D u_table; // 256 colours

varying vec2 v_from_centre;
varying vec2 v_from_edge;  // from the middle of the outline
varying vec2 v_from_face;  // from that of the flat face
varying vec3 v_radii;      // of the sphere, of its outline and of the face
varying float v_far;
varying vec4 v_color;
varying vec4 v_shadow;
varying vec4 v_squares;
varying float v_yz;

const float SMALLEST = 0.75; // below it a sphere keeps this radius and fades with its area

void main() {
    float radius = a_radius * u_scale;
    v_radii = max(radius, SMALLEST) * vec3(1.0, a_cut.y, a_cut.w);
    float share = min(radius / SMALLEST, 1.0);
    vec2 centre = a_offset * u_scale;
    v_from_edge = a_corner * (v_radii.y + 1.0);
    v_from_centre = v_from_edge + (a_cut.x - 1.0) * centre;
    v_from_face = v_from_edge + (a_cut.x - a_cut.z) * centre;
    gl_Position = vec4((a_cut.x * centre + v_from_edge) / u_half, 0.0, 1.0);
    v_far = u_haze * (1.0 - a_near);

    v_shadow = a_shadow;
    v_squares = a_squares;
    v_yz = a_yz;

    float s = u_ramp.z > 0.5 ? log(max(a_scalar, 1e-30)) : a_scalar;
    float entry = floor(clamp((s - u_ramp.x) * u_ramp.y, 0.0, 255.0));
    v_color = vec4(texture2D(u_table, vec2((entry + 0.5) / 256.0, 0.5)).rgb, share * share);
}
