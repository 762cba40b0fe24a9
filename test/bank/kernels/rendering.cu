// Graphics: intersections, shading, distance fields, cameras, images.
#include "bank.h"

template <class T> struct Vec {
  T x, y, z;
  __device__ friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  __device__ friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  __device__ friend Vec operator*(Vec a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  __device__ friend Vec operator*(T s, Vec a) { return a * s; }
  __device__ friend Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  __device__ Vec operator-() const { return {-x, -y, -z}; }
  __device__ Vec &operator+=(Vec o) { return *this = *this + o; }
  __device__ Vec &operator*=(T s) { return *this = *this * s; }
  __device__ T &operator[](int k) { return (&x)[k]; }
};
template <class T> __device__ T dot(Vec<T> a, Vec<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> __device__ Vec<T> cross(Vec<T> a, Vec<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> __device__ T length(Vec<T> a) { return sqrt(dot(a, a)); }
template <class T> __device__ Vec<T> normalize(Vec<T> a) { return a * rsqrt(dot(a, a)); }
template <class T> __device__ Vec<T> load(const T *p) { return {p[0], p[1], p[2]}; }
template <class T> __device__ void store(T *p, Vec<T> v) { p[0] = v.x, p[1] = v.y, p[2] = v.z; }
template <class T> __device__ T clamp(T v, T low, T high) { return v < low ? low : v > high ? high : v; }
template <class T> __device__ T mix(T a, T b, T s) { return a + (b - a) * s; }

template <class T> __device__ bool hit_triangle(Vec<T> o, Vec<T> d, Vec<T> a, Vec<T> b, Vec<T> c, T &t, T &u, T &v) {
  Vec<T> e1 = b - a, e2 = c - a, p = cross(d, e2);
  T det = dot(e1, p);
  if (fabs(det) < T(1e-6))
    return false;
  T inverse = 1 / det;
  Vec<T> s = o - a;
  u = dot(s, p) * inverse;
  if (u < 0 || u > 1)
    return false;
  Vec<T> q = cross(s, e1);
  v = dot(d, q) * inverse;
  if (v < 0 || u + v > 1)
    return false;
  t = dot(e2, q) * inverse;
  return t > 0;
}

// bank: x in [n, 6] -0.3:0.3 | tri in [9] -0.2:0.2 | y out [n, 3] | n = 40 | @float_tol 5e-3
KERNEL void ray_triangle(const T *x, const T *tri, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Vec<T> o = load(x + 6 * i), d = normalize(load(x + 6 * i + 3) + Vec<T>{0, 0, 1});
  Vec<T> a = load(tri) + Vec<T>{-1, -1, 2}, b = load(tri + 3) + Vec<T>{1, -1, 2}, c = load(tri + 6) + Vec<T>{0, 1, 2};
  T t = 0, u = 0, v = 0;
  if (hit_triangle(o, d, a, b, c, t, u, v))
    store(y + 3 * i, Vec<T>{t, u, v});
  else
    store(y + 3 * i, Vec<T>{T(10), o.x, o.y});
}

// bank: x in [n, 3] -1:1 | s in [m, 4] -0.5:0.5 | y out [n] | n = 40 | m = 5
KERNEL void nearest_of_several_spheres(const T *x, const T *s, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  Vec<T> o = load(x + 3 * i) - Vec<T>{0, 0, 4}, d = normalize(Vec<T>{T(0.1), T(-0.05), 1});
  T nearest = 100;
  int which = -1;
  for (int k = 0; k < m; ++k) {
    Vec<T> oc = o - load(s + 4 * k) * T(2);
    T r = 1 + s[4 * k + 3], b = dot(oc, d), c = dot(oc, oc) - r * r, q = b * b - c;
    if (q <= T(0.02))
      continue;
    T t = -b - sqrt(q);
    if (t > 0 && t < nearest)
      nearest = t, which = k;
  }
  if (which < 0) {
    y[i] = o.x;
    return;
  }
  Vec<T> normal = normalize(o + d * nearest - load(s + 4 * which) * T(2));
  y[i] = nearest + std::max(T(0), dot(normal, normalize(Vec<T>{1, 1, -1})));
}

// bank: x in [n, 6] 0.1:1 | rough in [n] 0.2:0.9 | f0 in [3] 0.1:0.9 | y out [n, 3] | n = 30
KERNEL void microfacet_reflection(const T *x, const T *rough, const T *f0, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Vec<T> l = normalize(load(x + 6 * i)), v = normalize(load(x + 6 * i + 3)), normal{0, 0, 1};
  Vec<T> h = normalize(l + v);
  T nl = dot(normal, l), nv = dot(normal, v), nh = dot(normal, h), vh = dot(v, h);
  T a = rough[i] * rough[i], a2 = a * a;
  T under = nh * nh * (a2 - 1) + 1;
  T distribution = a2 / (T(3.14159265358979) * under * under);
  auto shadowing = [&](T c) {
    T k = (rough[i] + 1) * (rough[i] + 1) / 8;
    return c / (c * (1 - k) + k);
  };
  Vec<T> base = load(f0);
  Vec<T> fresnel = base + (Vec<T>{1, 1, 1} - base) * pow(1 - vh, T(5));
  store(y + 3 * i, fresnel * (distribution * shadowing(nl) * shadowing(nv) / (4 * nl * nv + T(1e-4))));
}

template <class T> struct Scene {
  Vec<T> center;
  T radius, blend;
  Vec<T> box;
  __device__ T sphere(Vec<T> p) const { return length(p - center) - radius; }
  __device__ T cuboid(Vec<T> p) const {
    Vec<T> q{fabs(p.x) - box.x, fabs(p.y) - box.y, fabs(p.z) - box.z};
    Vec<T> outside{fmax(q.x, T(0)), fmax(q.y, T(0)), fmax(q.z, T(0))};
    return sqrt(dot(outside, outside) + T(1e-8)) + fmin(fmax(q.x, fmax(q.y, q.z)), T(0));
  }
  __device__ T operator()(Vec<T> p) const {
    T a = sphere(p), b = cuboid(p), h = clamp(T(0.5) + T(0.5) * (b - a) / blend, T(0), T(1));
    return mix(b, a, h) - blend * h * (1 - h);
  }
};

// bank: x in [n, 2] -0.4:0.4 | s in [5] 0.2:0.4 | y out [n] | n = 30 | @tol 1e-5 | @float_tol 2e-2
KERNEL void sphere_tracing(const T *x, const T *s, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Scene<T> scene{{s[0], s[1] - T(0.3), s[2]}, T(0.5) + s[3], s[4], {T(0.4), T(0.3), T(0.5)}};
  Vec<T> o{x[2 * i], x[2 * i + 1], -3}, d = normalize(Vec<T>{x[2 * i] * T(0.3), x[2 * i + 1] * T(0.3), 1});
  T t = 0;
  for (int step = 0; step < 24; ++step) {
    T distance = scene(o + d * t);
    t += distance;
    if (distance < T(1e-3) || t > 8)
      break;
  }
  y[i] = t;
}

// bank: x in [n, 3] -0.6:0.6 | s in [5] 0.2:0.4 | y out [n, 3] | n = 30 | @float_tol 5e-2
KERNEL void normal_by_differences(const T *x, const T *s, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Scene<T> scene{{s[0], s[1], s[2]}, s[3], s[4] + T(0.2), {T(0.4), T(0.3), T(0.5)}};
  Vec<T> p = load(x + 3 * i), normal{};
  const T e = T(0.03);
  for (int axis = 0; axis < 3; ++axis) {
    Vec<T> ahead = p, behind = p;
    ahead[axis] += e;
    behind[axis] -= e;
    normal[axis] = (scene(ahead) - scene(behind)) / (2 * e);
  }
  store(y + 3 * i, normalize(normal));
}

template <class T> struct Quaternion {
  T w;
  Vec<T> v;
  __device__ Quaternion operator*(const Quaternion &o) const {
    return {w * o.w - dot(v, o.v), w * o.v + o.w * v + cross(v, o.v)};
  }
  __device__ Quaternion conjugate() const { return {w, -v}; }
  __device__ Quaternion normalized() const {
    T s = rsqrt(w * w + dot(v, v));
    return {w * s, v * s};
  }
  __device__ Vec<T> rotate(Vec<T> p) const { return (*this * Quaternion{0, p} * conjugate()).v; }
};

// bank: q in [n, 4] -1:1 | p in [n, 3] -1:1 | y out [n, 3] | n = 30
KERNEL void quaternion_rotation(const T *q, const T *p, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Quaternion<T> r = Quaternion<T>{q[4 * i] + 2, load(q + 4 * i + 1)}.normalized();
  store(y + 3 * i, r.rotate(load(p + 3 * i)));
}

// bank: a in [n, 4] -1:1 | b in [n, 4] -1:1 | t in [n] 0.1:0.9 | y out [n, 4] | n = 30
KERNEL void quaternion_interpolation(const T *a, const T *b, const T *t, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  Quaternion<T> p = Quaternion<T>{a[4 * i] + T(1.5), load(a + 4 * i + 1)}.normalized();
  Quaternion<T> q = Quaternion<T>{b[4 * i], load(b + 4 * i + 1) + Vec<T>{0, 0, T(0.2)}}.normalized();
  T c = p.w * q.w + dot(p.v, q.v);
  if (c < 0) {
    c = -c;
    q = {-q.w, -q.v};
  }
  T from, to;
  if (c > T(0.9995)) {
    from = 1 - t[i], to = t[i];
  } else {
    T angle = acos(c), s = sin(angle);
    from = sin((1 - t[i]) * angle) / s;
    to = sin(t[i] * angle) / s;
  }
  y[4 * i] = from * p.w + to * q.w;
  store(y + 4 * i + 1, from * p.v + to * q.v);
}

// bank: img in [h, w] -1:1 | uv in [n, 2] 1.1:5.9 | y out [n] | n = 30 | h = 8 | w = 8
KERNEL void bicubic_lookup(const T *img, const T *uv, T *y, int n, int h, int w) {
  int i = thread_index();
  if (i >= n)
    return;
  T u = uv[2 * i], v = uv[2 * i + 1];
  int x0 = static_cast<int>(floor(u)), y0 = static_cast<int>(floor(v));
  T fx = u - x0, fy = v - y0;
  auto weights = [](T f, T *c) {
    const T a = T(-0.5);
    T g = 1 - f;
    c[0] = ((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a;
    c[1] = ((a + 2) * f - (a + 3)) * f * f + 1;
    c[2] = ((a + 2) * g - (a + 3)) * g * g + 1;
    c[3] = ((a * (g + 1) - 5 * a) * (g + 1) + 8 * a) * (g + 1) - 4 * a;
  };
  T cx[4], cy[4];
  weights(fx, cx);
  weights(fy, cy);
  T sum = 0;
  for (int r = 0; r < 4; ++r) {
    int row = min(max(y0 + r - 1, 0), h - 1);
    T line = 0;
    for (int c = 0; c < 4; ++c)
      line += cx[c] * img[row * w + min(max(x0 + c - 1, 0), w - 1)];
    sum += cy[r] * line;
  }
  y[i] = sum;
}

// bank: x in [n, 3] 0.05:0.95 | y out [n, 3] | n = 40
KERNEL void color_spaces(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T r = x[3 * i], g = x[3 * i + 1], b = x[3 * i + 2];
  T high = fmax(r, fmax(g, b)), low = fmin(r, fmin(g, b)), range = high - low;
  T hue = 0;
  if (range > T(1e-3)) {
    if (high == r)
      hue = (g - b) / range;
    else if (high == g)
      hue = 2 + (b - r) / range;
    else
      hue = 4 + (r - g) / range;
    if (hue < 0)
      hue += 6;
  }
  auto gamma = [](T v) { return v <= T(0.0031308) ? v * T(12.92) : T(1.055) * pow(v, T(1) / T(2.4)) - T(0.055); };
  y[3 * i] = hue / 6;
  y[3 * i + 1] = high > 0 ? range / high : T(0);
  y[3 * i + 2] = gamma(high);
}

// bank: hdr in [n, 3] 0.01:4 | exposure real 0.5:1.5 | y out [n, 3] | n = 30
KERNEL void filmic_tone_mapping(const T *hdr, DIFF T exposure, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    T v = hdr[3 * i + c] * exposure;
    T mapped = (v * (T(2.51) * v + T(0.03))) / (v * (T(2.43) * v + T(0.59)) + T(0.14));
    y[3 * i + c] = fmin(fmax(mapped, T(0)), T(1));
  }
}

// bank: p in [n, 2] -1:1 | v in [m, 2] -1:1 | y out [n] | n = 30 | m = 6
KERNEL void distance_to_polygon(const T *p, const T *v, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T px = p[2 * i], py = p[2 * i + 1], best = 1000;
  T sign = 1;
  for (int k = 0, j = m - 1; k < m; j = k, ++k) {
    T ex = v[2 * j] - v[2 * k], ey = v[2 * j + 1] - v[2 * k + 1], wx = px - v[2 * k], wy = py - v[2 * k + 1];
    T s = clamp((wx * ex + wy * ey) / (ex * ex + ey * ey), T(0), T(1));
    T bx = wx - ex * s, by = wy - ey * s, d = bx * bx + by * by;
    best = d < best ? d : best;
    bool c1 = py >= v[2 * k + 1], c2 = py<v[2 * j + 1], c3 = ex * wy> ey * wx;
    if ((c1 && c2 && c3) || (!c1 && !c2 && !c3))
      sign = -sign;
  }
  y[i] = sign * sqrt(best);
}

// bank: ctrl in [n, 4, 2] -1:1 | t in [n] 0:1 | y out [n, 4] | n = 30
KERNEL void bezier_and_its_tangent(const T *ctrl, const T *t, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T p[4][2];
  memcpy(p, ctrl + 8 * i, sizeof(p));
  T dx = 0, dy = 0;
  for (int level = 3; level > 0; --level) {
    if (level == 1) {
      dx = 3 * (p[1][0] - p[0][0]);
      dy = 3 * (p[1][1] - p[0][1]);
    }
    for (int k = 0; k < level; ++k)
      for (int c = 0; c < 2; ++c)
        p[k][c] = (1 - t[i]) * p[k][c] + t[i] * p[k + 1][c];
  }
  y[4 * i] = p[0][0], y[4 * i + 1] = p[0][1], y[4 * i + 2] = dx, y[4 * i + 3] = dy;
}

// bank: density in [n, m] 0:0.6 | color in [n, m] 0:1 | y out [n] | n = 20 | m = 24
KERNEL void front_to_back_compositing(const T *density, const T *color, T *y, int n, int m) {
  int i = thread_index();
  if (i >= n)
    return;
  T light = 1, sum = 0;
  for (int k = 0; k < m; ++k) {
    T alpha = 1 - exp(-density[i * m + k]);
    sum += light * alpha * color[i * m + k];
    light *= 1 - alpha;
    if (light < T(0.02))
      break;
  }
  y[i] = sum + light * T(0.1);
}

// bank: x in [n, 3] -0.8:0.8 | k in [5] -0.1:0.1 | y out [n, 2] | n = 30
KERNEL void lens_distortion(const T *x, const T *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T z = x[3 * i + 2] + 2, u = x[3 * i] / z, v = x[3 * i + 1] / z, r2 = u * u + v * v;
  T radial = 1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
  y[2 * i] = u * radial + 2 * k[2] * u * v + k[3] * (r2 + 2 * u * u);
  y[2 * i + 1] = v * radial + k[2] * (r2 + 2 * v * v) + 2 * k[3] * u * v;
}

// bank: x in [n, 2] -0.5:0.5 | k in [2] -0.2:0.2 | y out [n, 2] | n = 30
KERNEL void undistortion_by_iteration(const T *x, const T *k, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T u0 = x[2 * i], v0 = x[2 * i + 1], u = u0, v = v0;
  for (int step = 0; step < 10; ++step) {
    T r2 = u * u + v * v, scale = 1 + k[0] * r2 + k[1] * r2 * r2;
    u = u0 / scale;
    v = v0 / scale;
  }
  y[2 * i] = u;
  y[2 * i + 1] = v;
}

// bank: x in [n, 2] 0:6.9 | y out [n] | n = 40
KERNEL void gradient_noise(const T *x, T *y, int n) {
  int i = thread_index();
  if (i >= n)
    return;
  T u = x[2 * i], v = x[2 * i + 1], amplitude = 1, sum = 0;
  for (int octave = 0; octave < 3; ++octave) {
    int cx = static_cast<int>(floor(u)), cy = static_cast<int>(floor(v));
    T fx = u - cx, fy = v - cy;
    auto corner = [&](int dx, int dy) {
      unsigned hash = static_cast<unsigned>(cx + dx) * 73856093u ^ static_cast<unsigned>(cy + dy) * 19349663u;
      hash = (hash ^ (hash >> 13)) * 1274126177u;
      T gx = T((hash >> 8) & 255) / 128 - 1, gy = T((hash >> 16) & 255) / 128 - 1;
      return gx * (fx - dx) + gy * (fy - dy);
    };
    auto fade = [](T t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    T sx = fade(fx), sy = fade(fy);
    sum += amplitude * mix(mix(corner(0, 0), corner(1, 0), sx), mix(corner(0, 1), corner(1, 1), sx), sy);
    amplitude /= 2;
    u *= 2;
    v *= 2;
  }
  y[i] = sum;
}

template <class T> __device__ T distance_to_edge(const T *p, const T *a, const T *b) {
  T dx = b[0] - a[0], dy = b[1] - a[1];
  T t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy + T(1e-8));
  t = min(max(t, T(0)), T(1));
  T ex = p[0] - a[0] - t * dx, ey = p[1] - a[1] - t * dy;
  return ex * ex + ey * ey;
}

// The nearest of three edges: which one, both operands of a minimum have to hear alike.
// bank: f in [triangles, 9] -1:1 | p in [n, 2] -1:1 | y out [n] | n = 64 | triangles = 3 | @tol 1e-4
KERNEL void nearest_edges(const T *f, const T *p, T *y, int n, int triangles) {
  int i = thread_index();
  if (i >= n)
    return;
  const T at[2] = {p[2 * i], p[2 * i + 1]};
  T product = 1;
  for (int k = 0; k < triangles; ++k) {
    const T *a = f + 9 * k, *b = a + 3, *c = a + 6;
    product *= min(distance_to_edge(at, a, b), min(distance_to_edge(at, b, c), distance_to_edge(at, c, a)));
  }
  y[i] = product;
}
