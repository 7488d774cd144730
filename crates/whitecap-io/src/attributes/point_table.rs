//! The table every reader fills: positions and columns, turned into particles or a mesh at the end.

use std::collections::BTreeMap;
use std::path::Path;

use whitecap_core::glam::{Vec2, Vec3, Vec4};
use whitecap_core::{Column, Particles, TriMesh};

use crate::attributes::facts::FoundFacts;
use crate::attributes::{component_names, naming};
use crate::encoding::scalar::Values;
use crate::{Error, Noted, Place};

/// More columns than any real file has; beyond this, looking up columns by name would dominate the time.
const MOST_COLUMNS: usize = 4096;

/// Positions with named columns of the same length.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointTable {
    pub positions: Vec<Vec3>,
    columns: Vec<(String, Column)>,
    /// What holds for all points.
    pub facts: FoundFacts,
}

impl PointTable {
    pub fn new(positions: Vec<Vec3>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// Columns of names, components and numbers, one of which holds the positions.
    pub fn of_columns(
        mut columns: Vec<(String, usize, Values)>,
        path: &Path,
    ) -> Result<Self, Error> {
        let mut found = columns.iter();
        let place = found.position(|column| naming::is_position(&column.0) && column.1 >= 3);
        let place = place.ok_or_else(|| {
            let found = component_names::listed(columns.iter().map(|column| column.0.as_str()));
            let message = format!("a column `position` of three numbers is missing; {found}");
            Error::malformed(path, Place::File, message)
        })?;
        check_column_count(columns.iter().map(|column| column.1).sum(), path)?;
        let (_, components, positions) = columns.remove(place);
        let mut table = Self::new(positions.into_vectors(components));
        for (name, components, values) in columns {
            table.push(&name, components, values);
        }
        Ok(table)
    }

    pub fn push_column(&mut self, name: impl Into<String>, column: Column) {
        self.columns.push((name.into(), column));
    }

    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|(found, _)| found == name)
    }

    /// Adds numbers, `components` per element. Real tuples of up to four become one column;
    /// longer ones, and tuples of integers, become one column per component, `NAME_0`, `NAME_1`…
    pub fn push(&mut self, name: &str, components: usize, values: Values) {
        match (components, values) {
            (0, _) => {}
            (1, Values::F32(values)) => self.push_column(name, Column::F32(values)),
            (1, Values::I32(values)) => self.push_column(name, Column::I32(values)),
            (1, Values::I64(values)) => self.push_column(name, Column::I64(values)),
            (2, Values::F32(values)) => self.push_column(
                name,
                Column::Vec2(values.chunks_exact(2).map(Vec2::from_slice).collect()),
            ),
            (3, Values::F32(values)) => self.push_column(
                name,
                Column::Vec3(values.chunks_exact(3).map(Vec3::from_slice).collect()),
            ),
            (4, Values::F32(values)) => self.push_column(
                name,
                Column::Vec4(values.chunks_exact(4).map(Vec4::from_slice).collect()),
            ),
            (_, values) => {
                for component in 0..components {
                    let part = values.component(component, components);
                    self.push(&format!("{name}_{component}"), 1, part);
                }
            }
        }
    }

    /// Adds another table's points after these; columns that only one of them has are dropped.
    pub fn append(&mut self, mut other: PointTable) {
        if self.positions.is_empty() && self.columns.is_empty() {
            *self = other;
            return;
        }
        self.positions.append(&mut other.positions);
        let mut others = BTreeMap::new();
        for (name, column) in other.columns {
            others.entry(name).or_insert(column);
        }
        self.columns.retain_mut(|(name, column)| {
            match (column, others.remove(name)) {
                (Column::F32(values), Some(Column::F32(more))) => values.extend(more),
                (Column::Vec2(values), Some(Column::Vec2(more))) => values.extend(more),
                (Column::Vec3(values), Some(Column::Vec3(more))) => values.extend(more),
                (Column::Vec4(values), Some(Column::Vec4(more))) => values.extend(more),
                (Column::I32(values), Some(Column::I32(more))) => values.extend(more),
                (Column::I64(values), Some(Column::I64(more))) => values.extend(more),
                _ => return false,
            }
            true
        });
    }

    /// The particles, without what the user should know about their facts.
    pub fn into_particles(self, path: &Path) -> Result<Particles, Error> {
        Ok(self.into_noted_particles(path)?.data)
    }

    /// The particles, with a note for each fact that cannot be true.
    pub fn into_noted_particles(mut self, path: &Path) -> Result<Noted<Particles>, Error> {
        self.adopt_names(path)?;
        let mut particles = Particles::new(self.positions);
        *particles.facts_mut() = self.facts.facts;
        for (name, column) in self.columns {
            particles.set_attribute(name, column).map_err(|error| malformed(path, &error))?;
        }
        Ok(Noted { data: particles, notes: self.facts.notes })
    }

    pub fn into_mesh(mut self, triangles: Vec<[u32; 3]>, path: &Path) -> Result<TriMesh, Error> {
        self.adopt_names(path)?;
        let mut mesh =
            TriMesh::new(self.positions, triangles).map_err(|error| malformed(path, &error))?;
        for (name, column) in self.columns {
            mesh.set_attribute(name, column).map_err(|error| malformed(path, &error))?;
        }
        Ok(mesh)
    }

    fn adopt_names(&mut self, path: &Path) -> Result<(), Error> {
        check_column_count(self.columns.len(), path)?;
        naming::adopt(&mut self.columns);
        Ok(())
    }
}

/// Fails if a file has more columns than can be looked up by name in reasonable time.
pub(crate) fn check_column_count(count: usize, path: &Path) -> Result<(), Error> {
    match count <= MOST_COLUMNS {
        true => Ok(()),
        false => Err(Error::unsupported(
            path,
            format!("the file has {count} columns; at most {MOST_COLUMNS} are read"),
        )),
    }
}

fn malformed(path: &Path, error: &whitecap_core::Error) -> Error {
    Error::malformed(path, Place::File, error.to_string())
}

/// Appends the fan of triangles that covers a polygon; fewer than three corners cover nothing.
pub(crate) fn push_fan(triangles: &mut Vec<[u32; 3]>, polygon: &[u32]) {
    if let [first, rest @ ..] = polygon {
        triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    }
}
