//! Contract: `include/whitecap_pipes.h` declares exactly the types and functions of this crate, with their
//! documentation. When it does not, run the test with `WHITECAP_UPDATE_DOCS=1` to rewrite it.

use std::fmt::Write as _;
use std::path::Path;

use syn::{Attribute, Expr, Fields, FnArg, Item, ItemEnum, ItemFn, ItemStruct, Lit, Meta, Pat};
use syn::{ReturnType, Type};

/// The files that define the interface, in the order of the header.
const SOURCES: [&str; 8] = [
    "status.rs",
    "data.rs",
    "liquid.rs",
    "terrain.rs",
    "by_hand.rs",
    "motion.rs",
    "results.rs",
    "last_error.rs",
];

const OPENING: &str = "\
/* Shallow liquid in real time on any terrain: the C interface of whitecap-pipes.
 *
 * Lengths in metres, times in seconds, volumes in cubic metres; y is up. Every function that can fail
 * returns a status; when it is not WHITECAP_PIPES_OK, nothing has changed, and
 * whitecap_pipes_last_error() says what was wrong. One liquid must not be used from two threads at the
 * same time.
 *
 * Made from the Rust sources of whitecap-pipes-c; do not edit. */
#ifndef WHITECAP_PIPES_H
#define WHITECAP_PIPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

const CLOSING: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

#[test]
fn the_header_declares_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut header = OPENING.to_owned();
    for name in SOURCES {
        let source = std::fs::read_to_string(root.join("src").join(name)).unwrap();
        let file = syn::parse_file(&source).unwrap();
        file.items.iter().for_each(|item| declare(item, &mut header));
    }
    header.push_str(CLOSING);
    let path = root.join("include/whitecap_pipes.h");
    if std::env::var_os("WHITECAP_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == header, "the header is not up to date; WHITECAP_UPDATE_DOCS=1 writes it");
}

fn declare(item: &Item, header: &mut String) {
    match item {
        Item::Enum(item) if is_public(&item.vis) => declare_enum(item, header),
        Item::Struct(item) if is_public(&item.vis) => declare_struct(item, header),
        Item::Fn(item) if item.sig.abi.is_some() => declare_function(item, header),
        _ => {}
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn declare_enum(item: &ItemEnum, header: &mut String) {
    header.push('\n');
    comment(&item.attrs, "", header);
    let _ = writeln!(header, "typedef enum {} {{", item.ident);
    for variant in &item.variants {
        comment(&variant.attrs, "    ", header);
        let Some((_, Expr::Lit(value))) = &variant.discriminant else {
            panic!("{} has no number", variant.ident)
        };
        let Lit::Int(value) = &value.lit else { panic!("{} is not a number", variant.ident) };
        let _ = writeln!(header, "    WHITECAP_PIPES_{} = {value},", shout(&variant.ident));
    }
    let _ = writeln!(header, "}} {};", item.ident);
}

/// `BadPointer` as `BAD_POINTER`.
fn shout(name: &syn::Ident) -> String {
    let mut shouted = String::new();
    for letter in name.to_string().chars() {
        if letter.is_uppercase() && !shouted.is_empty() {
            shouted.push('_');
        }
        shouted.extend(letter.to_uppercase());
    }
    shouted
}

fn declare_struct(item: &ItemStruct, header: &mut String) {
    header.push('\n');
    comment(&item.attrs, "", header);
    let name = &item.ident;
    let Fields::Named(fields) = &item.fields else { panic!("{name} has no names") };
    // A type with hidden fields is only ever used through a pointer.
    if !fields.named.iter().all(|field| is_public(&field.vis)) {
        let _ = writeln!(header, "typedef struct {name} {name};");
        return;
    }
    let _ = writeln!(header, "typedef struct {name} {{");
    for field in &fields.named {
        comment(&field.attrs, "    ", header);
        let field_name = field.ident.as_ref().unwrap().to_string();
        let _ = writeln!(header, "    {};", declaration(&field.ty, &field_name));
    }
    let _ = writeln!(header, "}} {name};");
}

fn declare_function(item: &ItemFn, header: &mut String) {
    header.push('\n');
    comment(&item.attrs, "", header);
    let arguments: Vec<String> = item.sig.inputs.iter().map(argument).collect();
    let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
    let call = format!("{}({arguments})", item.sig.ident);
    let _ = match &item.sig.output {
        ReturnType::Default => writeln!(header, "void {call};"),
        ReturnType::Type(_, kind) => writeln!(header, "{};", declaration(kind, &call)),
    };
}

fn argument(argument: &FnArg) -> String {
    let FnArg::Typed(argument) = argument else { panic!("C has no `self`") };
    let Pat::Ident(name) = &*argument.pat else { panic!("C knows only names") };
    declaration(&argument.ty, &name.ident.to_string())
}

/// A type with the name of its variable, as C writes it.
fn declaration(kind: &Type, name: &str) -> String {
    match kind {
        Type::Ptr(pointer) => match (&*pointer.elem, &pointer.const_token) {
            (Type::Ptr(_), _) => declaration(&pointer.elem, &format!("*{name}")),
            (pointee, Some(_)) => format!("const {}", declaration(pointee, &format!("*{name}"))),
            (pointee, None) => declaration(pointee, &format!("*{name}")),
        },
        Type::Array(array) => {
            let Expr::Lit(length) = &array.len else { panic!("`{name}` has no fixed length") };
            let Lit::Int(length) = &length.lit else { panic!("`{name}` has no fixed length") };
            declaration(&array.elem, &format!("{name}[{length}]"))
        }
        Type::Path(path) => {
            let word = path.path.segments.last().unwrap().ident.to_string();
            let word = match word.as_str() {
                "f32" => "float",
                "f64" => "double",
                "u32" => "uint32_t",
                "usize" => "size_t",
                "c_char" => "char",
                own if own.starts_with("WhitecapPipes") => own,
                other => panic!("`{name}` has the type {other}, which C does not know"),
            };
            format!("{word} {name}")
        }
        _ => panic!("`{name}` has a type that C does not know"),
    }
}

/// The documentation of an item, up to the part that concerns only Rust.
fn comment(attributes: &[Attribute], indent: &str, header: &mut String) {
    let lines: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .map(|attribute| {
            let Meta::NameValue(pair) = &attribute.meta else { panic!("not documentation") };
            let Expr::Lit(text) = &pair.value else { panic!("not documentation") };
            let Lit::Str(text) = &text.lit else { panic!("not documentation") };
            text.value().trim().replace('`', "")
        })
        .take_while(|line| line != "# Safety")
        .collect();
    let text = lines.join(&format!("\n{indent} * "));
    let text = text.trim_end_matches(['*', ' ', '\n']);
    let _ = writeln!(header, "{indent}/* {text} */");
}
