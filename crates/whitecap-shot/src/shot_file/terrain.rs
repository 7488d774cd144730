//! A picture of shallow liquid shows the terrain that the liquid lies on.
//!
//! A `render` stage that takes its surface from a `pipes` stage, and has neither a `terrain` nor `objects`,
//! gets the terrain of that stage: from a stage called `NAME-terrain`, which is added to the shot unless
//! the file has one of that name.

use std::sync::Arc;

use serde_json::Value;

use super::stage_table::{Draft, DraftInput};
use crate::stage::ShotContext;

/// Connects pictures of shallow liquids with their terrains.
pub(crate) fn connect_terrains(drafts: &mut Vec<Draft>, shot: Option<&ShotContext>) {
    for place in 0..drafts.len() {
        let Some(liquid) = liquid_without_terrain(&drafts[place], drafts) else { continue };
        let name = format!("{}-terrain", drafts[liquid].name);
        if !drafts.iter().any(|draft| draft.name == name) {
            let Some(terrain) = terrain_of(&drafts[liquid], &name, shot) else { continue };
            drafts.push(terrain);
        }
        let picture = &mut drafts[place];
        let ports = picture.kind.as_ref().map_or(&[][..], |kind| kind.info().inputs);
        if let Some(port) = ports.iter().find(|port| port.key == "terrain") {
            let span = picture.name_span.clone();
            picture.inputs.push(DraftInput { port, target: name, span });
        }
    }
}

/// The shallow liquid that a picture shows, if nothing is said about what it lies on.
fn liquid_without_terrain(picture: &Draft, drafts: &[Draft]) -> Option<usize> {
    let is_of =
        |draft: &Draft, name| draft.kind.as_ref().is_some_and(|kind| kind.info().name == name);
    let has_ground = picture.raw.get("objects").is_some()
        || picture.inputs.iter().any(|input| input.port.key == "terrain");
    if !is_of(picture, "render") || has_ground {
        return None;
    }
    let surface = picture.inputs.iter().find(|input| input.port.key == "surface")?;
    let place = drafts.iter().position(|draft| draft.name == surface.target)?;
    let liquid = &drafts[place];
    let gives_liquid = liquid.raw.get("give").is_none_or(|give| give == "liquid");
    (is_of(liquid, "pipes") && gives_liquid).then_some(place)
}

/// A stage that gives the terrain of a liquid, if the liquid itself is sound.
fn terrain_of(liquid: &Draft, name: &str, shot: Option<&ShotContext>) -> Option<Draft> {
    let kind = Arc::clone(liquid.kind.as_ref()?);
    let mut raw = liquid.raw.clone();
    raw.as_object_mut()?.insert(String::from("give"), Value::from("terrain"));
    Some(Draft {
        name: name.to_owned(),
        name_span: liquid.name_span.clone(),
        checked: Some(kind.check(raw.clone(), shot?).ok()?),
        gives: Some(kind.info().gives.with(&raw)),
        kind: Some(kind),
        inputs: Vec::new(),
        save: Vec::new(),
        raw,
    })
}
