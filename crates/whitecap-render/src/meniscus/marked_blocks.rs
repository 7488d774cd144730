//! Which blocks of a liquid menisci and cuts at solids change, and how.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use whitecap_core::sparse_grid::{TILE_NODES, local_node, tile_order};
use whitecap_core::{Bounds, Tile};

use super::block_walls::{BlockWall, MOST_WALLS};
use super::contact::Contact;
use super::field::Correction;
use crate::liquid::blocks::{BlockGrid, FIRST_SIGN, INSIDE, OUTSIDE};
use crate::liquid::sides::{Side, Sides};
use crate::liquid::{LiquidField, ListBox};

/// States from this one on number marked blocks; lower ones are those of the liquid.
pub(super) const FIRST_MARK: u32 = 1 << 31;

/// A block in which a wall or a meniscus changes something.
#[derive(Clone, Debug)]
pub(super) struct MarkedBlock {
    /// The liquid's own state of the block.
    pub state: u32,
    /// The walls near it.
    pub walls: Vec<BlockWall>,
    /// Whether the liquid is cut off in it.
    pub cut: bool,
    /// How its points are moved; `None` if they are not.
    pub moved: Option<MovedBlock>,
}

impl MarkedBlock {
    /// Whether there is a contact at a point, on the side of a wall that faces a direction.
    pub fn has_contact(&self, point: Vec3, facing: Vec3) -> bool {
        let on_side = |contact: Contact| contact.is_on_side(facing);
        self.walls.iter().any(|wall| wall.contact(point).is_some_and(on_side))
    }
}

/// Where the liquid is evaluated for the points of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedBlock {
    /// The middle of all displacements of its points,
    pub shift: Vec3,
    /// and how far any of them is from that, in m.
    pub margin: f32,
    /// Row of the liquid's particles there. The second side of a thin wall has the next one.
    pub row: u32,
    /// Away from the first side of a thin wall in the block.
    pub first_side: Option<Vec3>,
}

/// The blocks of a liquid, some of them marked.
pub(super) struct Marked {
    pub blocks: BlockGrid,
    pub marks: Vec<MarkedBlock>,
    /// Boxes for whose points the liquid needs lists, in the order of the rows.
    pub boxes: Vec<ListBox>,
}

struct MarkedTile {
    tile: IVec3,
    states: Box<[u32; TILE_NODES]>,
    marks: Vec<MarkedBlock>,
    boxes: Vec<ListBox>,
}

/// Marks the blocks of a liquid.
pub(super) fn marked_blocks(
    liquid: &impl LiquidField,
    correction: &Correction,
    sides: Option<&dyn Sides>,
) -> Marked {
    let marker = Marker { liquid, correction, sides };
    let tiles: Vec<MarkedTile> = tiles_near(liquid, correction)
        .into_par_iter()
        .filter_map(|tile| marker.tile(tile))
        .collect();
    let (mut marks, mut boxes) = (Vec::new(), Vec::new());
    let mut numbered = Vec::with_capacity(tiles.len());
    for MarkedTile { tile, mut states, marks: mut new_marks, boxes: new_boxes } in tiles {
        for state in states.iter_mut() {
            if (FIRST_MARK..FIRST_SIGN).contains(state) {
                *state += marks.len() as u32;
            }
        }
        for moved in new_marks.iter_mut().filter_map(|mark| mark.moved.as_mut()) {
            moved.row += boxes.len() as u32;
        }
        marks.append(&mut new_marks);
        boxes.extend(new_boxes);
        let inside = states.iter().all(|&state| state == INSIDE);
        numbered.push((tile, if inside { Tile::Constant(INSIDE) } else { Tile::Dense(states) }));
    }
    let blocks = BlockGrid::new(liquid.blocks_of_surface().edge(), numbered);
    Marked { blocks, marks, boxes }
}

/// The tiles of the liquid and of the contact lines.
fn tiles_near(liquid: &impl LiquidField, correction: &Correction) -> Vec<IVec3> {
    let plain = liquid.blocks_of_surface();
    let tile_edge = 8.0 * plain.edge();
    let mut tiles: Vec<IVec3> = plain.states().coordinates().to_vec();
    for guide in correction.walls.iter().filter_map(|wall| wall.guide.as_ref()) {
        let lattice = guide.grid().lattice();
        tiles.par_extend(guide.grid().coordinates().par_iter().flat_map_iter(|&tile| {
            let low = (lattice.position(tile * 8) / tile_edge).floor().as_ivec3();
            let high = (lattice.position(tile * 8 + 8) / tile_edge).floor().as_ivec3();
            let span = high - low + 1;
            (0..span.x * span.y * span.z).map(move |i| {
                low + IVec3::new(i % span.x, i / span.x % span.y, i / (span.x * span.y))
            })
        }));
    }
    tiles.par_sort_unstable_by_key(|tile| tile_order(*tile));
    tiles.dedup();
    tiles
}

/// Contacts as the walls of a block know them, on sides that face a direction (zero: on any).
pub(super) fn contacts_of(
    walls: &[BlockWall],
    facing: Vec3,
) -> impl Fn(usize, Vec3) -> Option<Contact> {
    move |number, point| {
        let wall = walls.iter().find(|wall| wall.wall as usize == number)?;
        wall.contact(point).filter(|contact| contact.is_on_side(facing))
    }
}

struct Marker<'a, L> {
    liquid: &'a L,
    correction: &'a Correction,
    sides: Option<&'a dyn Sides>,
}

impl<L: LiquidField> Marker<'_, L> {
    fn plain(&self) -> &BlockGrid {
        self.liquid.blocks_of_surface()
    }

    fn tile(&self, tile: IVec3) -> Option<MarkedTile> {
        let edge = self.plain().edge();
        let own = self.plain().states().tile(tile);
        let state = |offset: usize| own.map_or(OUTSIDE, |tile| tile.at(offset));
        let mut made = MarkedTile {
            tile,
            states: Box::new(std::array::from_fn(state)),
            marks: Vec::new(),
            boxes: Vec::new(),
        };
        let middle = (tile * 8 + 4).as_vec3() * edge;
        if self.is_near(middle, 8.0 * edge) {
            for offset in 0..TILE_NODES {
                let block = tile * 8 + local_node(offset);
                let state = self.block(block, made.states[offset], &mut made);
                made.states[offset] = state;
            }
        }
        let empty = made.states.iter().all(|&state| state == OUTSIDE);
        (!empty).then_some(made)
    }

    /// Whether a wall may change anything in a cube.
    fn is_near(&self, middle: Vec3, edge: f32) -> bool {
        let overlap = self.correction.overlap.unwrap_or(0.0);
        let reach = 0.87 * edge + self.correction.influence().max(overlap);
        self.correction.walls.iter().any(|wall| {
            wall.solid.distance(middle) < reach.min(0.999 * wall.solid.band())
                || wall.solid.band() < reach
        })
    }

    /// State of a block; new marks and boxes are added to those of its tile.
    fn block(&self, block: IVec3, state: u32, made: &mut MarkedTile) -> u32 {
        let edge = self.plain().edge();
        let center = (block.as_vec3() + 0.5) * edge;
        if !self.is_near(center, edge) {
            return state;
        }
        let cut_off = self.correction.cut(center);
        if cut_off.is_some_and(|(distance, _)| distance < -0.87 * edge) {
            return OUTSIDE;
        }
        let mut walls = self.walls(center);
        let offsets = self.offsets(center, &walls);
        let size = offsets.min.abs().max(offsets.max.abs()).max_element();
        // Less than the uncertainty of rays, so that there is no step from block to block.
        let moved = size > (2e-4 * edge).min(3e-3 * self.correction.length);
        let free = if moved { self.sign_around(block, center, offsets) } else { Some(state) };
        // Whether the surface can be anywhere in the block, before it is cut.
        let surface = free.is_none_or(|state| state < FIRST_SIGN);
        if free == Some(OUTSIDE) || (free == Some(INSIDE) && cut_off.is_none()) {
            return free.unwrap_or(state);
        }
        let tolerance = 1e-4 * self.correction.length.min(edge);
        for wall in &mut walls {
            let solid = &self.correction.walls[wall.wall as usize].solid;
            wall.flatten(solid, center, edge, tolerance);
        }
        let cut = self.is_cut(center, &walls);
        if !(cut || moved && surface) {
            return free.unwrap_or(state);
        }
        let moved = (moved && surface).then(|| self.moved_block(center, offsets, made));
        made.marks.push(MarkedBlock { state: free.unwrap_or(state), walls, cut, moved });
        FIRST_MARK + made.marks.len() as u32 - 1
    }

    /// A box around all vectors from a point of the block to where the liquid is evaluated for it.
    fn offsets(&self, center: Vec3, walls: &[BlockWall]) -> Bounds {
        if !walls.iter().any(BlockWall::has_contact) {
            return Bounds::of(&[Vec3::ZERO]);
        }
        let edge = self.plain().edge();
        let contact = contacts_of(walls, Vec3::ZERO);
        let offset = |c: u32| {
            let corner = Vec3::new((c & 1) as f32, (c >> 1 & 1) as f32, (c >> 2) as f32) - 0.5;
            let point = if c < 8 { center + 1.002 * edge * corner } else { center };
            self.correction.place(point, self.correction.moves, &contact) - point
        };
        (0..9).map(offset).fold(Bounds::EMPTY, |all, offset| all.with(offset))
    }

    /// The sign of all blocks in which points of a block are evaluated, if they agree.
    fn sign_around(&self, block: IVec3, center: Vec3, offsets: Bounds) -> Option<u32> {
        let edge = self.plain().edge();
        let low = ((center - 0.501 * edge + offsets.min) / edge).floor().as_ivec3();
        let high = ((center + 0.501 * edge + offsets.max) / edge).floor().as_ivec3();
        let first = self.plain().state(block);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let here = self.plain().state(IVec3::new(x, y, z));
                    if here != first || here < FIRST_SIGN {
                        return None;
                    }
                }
            }
        }
        Some(first)
    }

    fn moved_block(&self, center: Vec3, offsets: Bounds, made: &mut MarkedTile) -> MovedBlock {
        let edge = self.plain().edge();
        let shift = -offsets.center();
        // Slightly more than was seen: only the corners were evaluated.
        let margin = 0.6 * offsets.size().length() + 0.01 * edge;
        let row = made.boxes.len() as u32;
        let mut push = |side: Option<Side>| {
            let half = 0.51 * edge + margin;
            made.boxes.push(ListBox { center: center - shift, half, side });
        };
        let sides = self.sides.map_or([None; 2], |sides| sides.of_block(center, edge));
        push(sides[0]);
        let first_side = match sides {
            [Some(first), Some(second)] => {
                push(Some(second));
                Some(first.normal)
            }
            _ => None,
        };
        MovedBlock { shift, margin, row, first_side }
    }

    fn walls(&self, center: Vec3) -> Vec<BlockWall> {
        let edge = self.plain().edge();
        let overlap = self.correction.overlap.unwrap_or(0.0);
        let reach = 0.87 * edge + self.correction.influence().max(overlap);
        let walls = self.correction.walls.iter().enumerate();
        let mut near: Vec<(f32, BlockWall)> = walls
            .map(|(number, wall)| (wall.solid.distance(center), number, wall))
            .filter(|(distance, _, wall)| {
                let band = wall.solid.band();
                *distance < reach.min(0.999 * band) || band < reach
            })
            .map(|(distance, number, wall)| {
                (distance, BlockWall::new(number as u32, wall, center, edge))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(MOST_WALLS);
        near.into_iter().map(|(_, wall)| wall).collect()
    }

    fn is_cut(&self, center: Vec3, walls: &[BlockWall]) -> bool {
        let edge = self.plain().edge();
        self.correction.overlap.is_some_and(|overlap| {
            walls.iter().any(|wall| {
                let solid = &self.correction.walls[wall.wall as usize].solid;
                wall.nearest(solid, center, edge) + overlap <= 0.0
            })
        })
    }
}
