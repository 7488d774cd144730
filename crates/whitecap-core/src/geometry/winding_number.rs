//! The generalised winding number of a mesh: how many times its surface wraps round a point.
//!
//! Near 1 inside a closed mesh, near 0 outside, 2 where two parts overlap, and a smooth blend
//! across holes (Jacobson, Kavan and Sorkine-Hornung 2013), so that a scanned or hand-made mesh
//! with gaps, overlaps and self-intersections still has an inside.
//!
//! Evaluation is hierarchical (Barill, Dickson, Schmidt, Levin and Jacobson 2018): a cluster of
//! triangles that is far away for its size is replaced by the first three terms of its expansion.
//! Only the symmetric trace-free part of each term acts, because the solid angle is harmonic: 3
//! dipole, 6 quadrupole and 10 octupole coefficients. Clusters are tested four at a time.
//!
//! # Guarantees
//! * Every mesh has a winding number everywhere; an empty mesh has 0.
//! * The answer for a point depends on nothing but the mesh, the accuracy and the point.
//!
//! # Non-guarantees
//! * At the default accuracy the error is 10⁻³ on average and up to 6·10⁻³; at 3 a seventh of
//!   that. [`WindingNumber::exact_at`] has none, but takes time proportional to the triangle count.
//! * On the surface itself the number jumps; there it is whichever side rounding chose.

mod expansion;

use glam::Vec3;
use rayon::prelude::*;
use wide::f32x4;

use crate::TriMesh;
use crate::triangle_bvh::TriangleBvh;

use expansion::{Expansion, Moments};

/// Accuracy used by [`WindingNumber::build`].
pub const DEFAULT_ACCURACY: f32 = 2.0;

/// Triangles in a leaf, and clusters in a node.
const LANES: usize = 4;
/// Marks a child that is a leaf, in the highest bit of its place.
const LEAF: u32 = 1 << 31;
/// A lane without a cluster sits this far away and weighs nothing.
const NOWHERE: f32 = 1e15;
/// Four children per level, of which one is entered at once; the hierarchy is below 96 deep.
const STACK_SIZE: usize = 3 * 96 + 4;

/// Winding numbers of one mesh. Holds the mesh's [`TriangleBvh`], which gives distances too.
#[derive(Clone, Debug)]
pub struct WindingNumber {
    bvh: TriangleBvh,
    nodes: Vec<ClusterNode>,
    leaves: Vec<LeafTriangles>,
}

impl WindingNumber {
    /// Prepares a mesh at [`DEFAULT_ACCURACY`].
    pub fn build(mesh: &TriMesh) -> Self {
        Self::from_bvh(TriangleBvh::build(mesh), DEFAULT_ACCURACY)
    }

    /// Prepares the triangles of a hierarchy. A cluster is replaced by its expansion when it is
    /// farther away than `accuracy` times its radius; 2 is usual, larger is slower and more
    /// accurate, values below 1 count as 1.
    pub fn from_bvh(bvh: TriangleBvh, accuracy: f32) -> Self {
        let mut build =
            Build { bvh: &bvh, nodes: Vec::new(), ranges: Vec::new(), leaves: Vec::new() };
        if !bvh.is_empty() {
            build.add_node(0);
        }
        let Build { mut nodes, ranges, leaves, .. } = build;
        let accuracy = if accuracy >= 1.0 { accuracy } else { 1.0 };
        nodes.par_iter_mut().zip(&ranges).for_each(|(node, ranges)| {
            let reach = std::array::from_fn(|lane| {
                let center = node.center(lane);
                let corners = bvh.corners()[ranges[lane].clone()].iter().flatten();
                let radius_squared =
                    corners.map(|c| c.distance_squared(center)).fold(0.0, f32::max);
                accuracy * accuracy * radius_squared
            });
            node.reach_squared = f32x4::new(reach);
        });
        Self { bvh, nodes, leaves }
    }

    /// The hierarchy over the triangles.
    pub fn bvh(&self) -> &TriangleBvh {
        &self.bvh
    }

    /// Whether `point` is inside, that is, whether its winding number exceeds one half.
    pub fn is_inside(&self, point: Vec3) -> bool {
        self.at(point) > 0.5
    }

    /// The winding number at `point`.
    pub fn at(&self, point: Vec3) -> f32 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let query = point.to_array().map(f32x4::splat);
        let (mut far, mut half_angles) = (f32x4::ZERO, f32x4::ZERO);
        let mut waiting = [0u32; STACK_SIZE];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = &self.nodes[waiting[count] as usize];
            let mut near = node.add_far(query, &mut far);
            while near != 0 {
                let child = node.children[near.trailing_zeros() as usize];
                near &= near - 1;
                if child & LEAF == 0 {
                    waiting[count] = child;
                    count += 1;
                } else {
                    half_angles += self.leaves[(child & !LEAF) as usize].half_angles(query);
                }
            }
        }
        far.reduce_add() + half_angles.reduce_add() * std::f32::consts::FRAC_1_PI * 0.5
    }

    /// The winding number at `point`, summed over all triangles in double precision.
    pub fn exact_at(&self, point: Vec3) -> f64 {
        let query = point.as_dvec3();
        let half_angle = |corners: &[Vec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3() - query);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let volume = a.dot(b.cross(c));
            volume.atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
        };
        self.bvh.corners().iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU
    }
}

/// Up to four triangles, one per lane: `corners[corner][axis]`.
#[derive(Clone, Debug)]
struct LeafTriangles {
    corners: [[f32x4; 3]; 3],
}

impl LeafTriangles {
    fn new(triangles: &[[Vec3; 3]]) -> Self {
        // A lane without a triangle gets one of no area, which no point sees.
        let lane = |corner: usize, axis: usize, lane: usize| {
            triangles.get(lane).map_or(0.0, |triangle| triangle[corner][axis])
        };
        let corners = std::array::from_fn(|corner| {
            std::array::from_fn(|axis| {
                f32x4::new(std::array::from_fn(|index| lane(corner, axis, index)))
            })
        });
        Self { corners }
    }

    /// Half the solid angle of each triangle (van Oosterom and Strackee 1983).
    fn half_angles(&self, query: [f32x4; 3]) -> f32x4 {
        let relative = |corner: usize| -> [f32x4; 3] {
            std::array::from_fn(|axis| self.corners[corner][axis] - query[axis])
        };
        let (a, b, c) = (relative(0), relative(1), relative(2));
        let dot = |u: &[f32x4; 3], v: &[f32x4; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        let (la, lb, lc) = (dot(&a, &a).sqrt(), dot(&b, &b).sqrt(), dot(&c, &c).sqrt());
        let cross =
            [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let volume = dot(&a, &cross);
        volume.atan2(la * lb * lc + dot(&a, &b) * lc + dot(&b, &c) * la + dot(&c, &a) * lb)
    }
}

/// Four clusters, one per lane, with their expansions divided by 4π.
#[derive(Clone, Debug)]
struct ClusterNode {
    center: [f32x4; 3],
    /// Square of the distance beyond which the expansion holds.
    reach_squared: f32x4,
    /// x, y, z.
    dipole: [f32x4; 3],
    /// xx, yy, zz, xy, xz, yz; the mixed ones count twice.
    quadrupole: [f32x4; 6],
    /// xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz; the mixed ones count three and six times.
    octupole: [f32x4; 10],
    children: [u32; LANES],
}

impl ClusterNode {
    fn center(&self, lane: usize) -> Vec3 {
        Vec3::from_array(self.center.map(|axis| axis.to_array()[lane]))
    }

    /// Adds the expansions of the far clusters to `sum` and returns a bit for each near one.
    #[inline]
    fn add_far(&self, query: [f32x4; 3], sum: &mut f32x4) -> u32 {
        let offset: [f32x4; 3] = std::array::from_fn(|axis| self.center[axis] - query[axis]);
        let distance_squared =
            offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
        let is_far = distance_squared.simd_gt(self.reach_squared);
        let inverse_squared = f32x4::ONE / distance_squared;
        let inverse = inverse_squared.sqrt();
        let [x, y, z] = offset.map(|axis| axis * inverse);

        let [dx, dy, dz] = self.dipole;
        let dipole = dx * x + dy * y + dz * z;
        let [xx, yy, zz, xy, xz, yz] = self.quadrupole;
        let quadrupole = x * (xx * x + xy * y + xz * z) + y * (yy * y + yz * z) + zz * z * z;
        let [xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz] = self.octupole;
        let octupole = x * (x * (xxx * x + xxy * y + xxz * z) + y * (xyy * y + xyz * z))
            + y * y * (yyy * y + yyz * z)
            + z * z * (zzz * z + xzz * x + yzz * y);
        let value = inverse_squared * (dipole + inverse * (quadrupole + inverse * octupole));
        *sum += is_far.select(value, f32x4::ZERO);
        !is_far.to_bitmask() & 0xf
    }

    fn set_expansion(&mut self, lane: usize, expansion: &Expansion) {
        let set = |target: &mut f32x4, value: f64| target.as_mut_array()[lane] = value as f32;
        for axis in 0..3 {
            set(&mut self.center[axis], expansion.center[axis]);
            set(&mut self.dipole[axis], expansion.dipole[axis]);
        }
        for (target, value) in self.quadrupole.iter_mut().zip(expansion.quadrupole) {
            set(target, value);
        }
        for (target, value) in self.octupole.iter_mut().zip(expansion.octupole) {
            set(target, value);
        }
    }

    const VACANT: ClusterNode = ClusterNode {
        center: [f32x4::new([NOWHERE; 4]); 3],
        reach_squared: f32x4::ZERO,
        dipole: [f32x4::ZERO; 3],
        quadrupole: [f32x4::ZERO; 6],
        octupole: [f32x4::ZERO; 10],
        children: [LEAF; LANES],
    };
}

/// The tree of clusters while it is made from the binary hierarchy.
struct Build<'a> {
    bvh: &'a TriangleBvh,
    nodes: Vec<ClusterNode>,
    /// For each lane of each node, its triangles in leaf order.
    ranges: Vec<[std::ops::Range<usize>; LANES]>,
    leaves: Vec<LeafTriangles>,
}

impl Build<'_> {
    /// Adds the cluster node for the subtree at `root` and returns the subtree's moments.
    fn add_node(&mut self, root: u32) -> Moments {
        let place = self.nodes.len();
        self.nodes.push(ClusterNode::VACANT);
        self.ranges.push(std::array::from_fn(|_| 0..0));
        let origin = self.bvh.bounds().center().as_dvec3();
        let mut total = Moments::default();
        for (lane, &cluster) in self.clusters(root).iter().enumerate() {
            let range = self.triangles(cluster);
            let (child, moments) = if range.len() <= LANES {
                let triangles = &self.bvh.corners()[range.clone()];
                self.leaves.push(LeafTriangles::new(triangles));
                (LEAF | (self.leaves.len() - 1) as u32, Moments::of(triangles, origin))
            } else {
                let child = self.nodes.len() as u32;
                (child, self.add_node(cluster))
            };
            let fallback = self.bvh.corners()[range.start][0].as_dvec3() - origin;
            let mut expansion = moments.expansion(fallback);
            expansion.center += origin;
            self.nodes[place].set_expansion(lane, &expansion);
            self.nodes[place].children[lane] = child;
            self.ranges[place][lane] = range;
            total.add(&moments);
        }
        total
    }

    /// Up to four subtrees that together are the subtree at `root`: the largest is opened first.
    fn clusters(&self, root: u32) -> Vec<u32> {
        let nodes = self.bvh.nodes();
        let mut clusters = vec![root];
        while clusters.len() < LANES {
            let extent = |place: u32| {
                let node = &nodes[place as usize];
                (node.max - node.min).length_squared()
            };
            let openable =
                (0..clusters.len()).filter(|&i| self.triangles(clusters[i]).len() > LANES);
            let largest =
                openable.max_by(|&a, &b| extent(clusters[a]).total_cmp(&extent(clusters[b])));
            let Some(largest) = largest else { break };
            let opened = clusters[largest];
            clusters[largest] = opened + 1;
            clusters.push(nodes[opened as usize].first);
        }
        clusters
    }

    /// The triangles of a subtree, in leaf order.
    fn triangles(&self, root: u32) -> std::ops::Range<usize> {
        let nodes = self.bvh.nodes();
        let (mut low, mut high) = (root as usize, root as usize);
        while nodes[low].count == 0 {
            low += 1;
        }
        while nodes[high].count == 0 {
            high = nodes[high].first as usize;
        }
        nodes[low].first as usize..(nodes[high].first + nodes[high].count) as usize
    }
}
