//! Draws a self-contained SVG file, readable on light and dark backgrounds.

use std::fmt::Write;

use anamne::{EntityType, Neighbourhood};
use jiff::Timestamp;

use super::layout::{Edge, Layout, Node, text_width};

/// The colour of each type on light and dark backgrounds, by type number.
pub(super) const COLOURS: [(&str, &str); 12] = [
    ("#59636e", "#9198a1"),
    ("#0550ae", "#79c0ff"),
    ("#8250df", "#d2a8ff"),
    ("#1a7f37", "#7ee787"),
    ("#953800", "#ffa657"),
    ("#57606a", "#b1bac4"),
    ("#0a6e7c", "#76e3ea"),
    ("#3b5bdb", "#a5b4fc"),
    ("#7d4e00", "#e3b341"),
    ("#a40e26", "#ff9492"),
    ("#116329", "#56d364"),
    ("#99286e", "#ff9bce"),
];

/// Height below the picture for the colour legend.
const LEGEND: f64 = 30.0;

/// The drawing as a self-contained SVG file.
pub(crate) fn svg(around: &Neighbourhood, now: Timestamp) -> String {
    let layout = Layout::of(around, now);
    let legend = legend(&layout);
    let width = layout.width.max(legend.1);
    let height = layout.height + LEGEND;
    let title = layout
        .nodes
        .first()
        .map_or_else(String::new, |node| escaped(&node.whole));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">\n<title>{title}</title>\n"
    );
    text.push_str(&style());
    text.push_str("<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    for edge in &layout.edges {
        draw_line(edge, &layout, &mut text);
    }
    for (number, node) in layout.nodes.iter().enumerate() {
        draw_box(node, number == 0, &mut text);
    }
    // Above all lines, so that no line crosses a label.
    for edge in &layout.edges {
        draw_label(edge, &mut text);
    }
    let _ = writeln!(
        text,
        "<g transform=\"translate(0 {:.1})\">{}</g>\n</svg>",
        layout.height, legend.0
    );
    text
}

/// The styles for dark backgrounds. Programs without support for style sheets show the light colours.
pub(super) fn style() -> String {
    let mut style = String::from(
        "<style>@media (prefers-color-scheme: dark) { .ground { fill: #0d1117 } .ink { fill: #e6edf3 } \
         .pale { fill: #9198a1 } .halo { stroke: #0d1117 } .line { stroke: #656c76 } .head { fill: #656c76 } \
         .warns { stroke: #e3b341 } .warning { fill: #e3b341 }",
    );
    for (number, (_, dark)) in COLOURS.iter().enumerate() {
        let _ = write!(
            style,
            " .t{number} {{ stroke: {dark} }} .f{number} {{ fill: {dark} }}"
        );
    }
    style.push_str(" }</style>\n");
    style
}

fn draw_line(edge: &Edge, layout: &Layout, text: &mut String) {
    let ((x1, y1), (x2, y2)) = layout.ends(edge);
    let (class, colour) = if edge.contested {
        ("line warns", "#b35900")
    } else {
        ("line", "#8c959f")
    };
    let dashes = if edge.over {
        " stroke-dasharray=\"4 4\""
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
         stroke-width=\"1.2\"{dashes}/>"
    );
    draw_head((x1, y1), (x2, y2), edge.contested, text);
    if edge.both_ways {
        draw_head((x2, y2), (x1, y1), edge.contested, text);
    }
}

/// Draws the arrow head at the end of a line.
fn draw_head(from: (f64, f64), to: (f64, f64), contested: bool, text: &mut String) {
    const LENGTH: f64 = 8.0;
    const HALF: f64 = 3.5;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < LENGTH {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let (bx, by) = (to.0 - ux * LENGTH, to.1 - uy * LENGTH);
    let (class, colour) = if contested {
        ("head warning", "#b35900")
    } else {
        ("head", "#8c959f")
    };
    let _ = writeln!(
        text,
        "<path class=\"{class}\" d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} Z\" fill=\"{colour}\"/>",
        to.0,
        to.1,
        bx - uy * HALF,
        by + ux * HALF,
        bx + uy * HALF,
        by - ux * HALF
    );
}

fn draw_label(edge: &Edge, text: &mut String) {
    let (class, colour) = if edge.contested {
        ("halo warning", "#b35900")
    } else {
        ("halo pale", "#59636e")
    };
    let _ = writeln!(
        text,
        "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{colour}\" \
         stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\">{}</text>",
        edge.x,
        edge.y + 4.0,
        escaped(&edge.label)
    );
}

fn draw_box(node: &Node, is_centre: bool, text: &mut String) {
    let (left, top) = (node.x - node.width / 2.0, node.y - node.height / 2.0);
    let whole = escaped(&node.whole);
    let shown = escaped(&node.text);
    let _ = write!(text, "<g><title>{whole}</title>");
    let mut weight = "";
    if let Some(entity_type) = node.entity_type {
        let number = usize::from(entity_type.number()) % COLOURS.len();
        let colour = COLOURS[number].0;
        let stroke = if is_centre { 3.0 } else { 1.5 };
        let dashes = if node.inferred {
            " stroke-dasharray=\"5 3\""
        } else {
            ""
        };
        let _ = write!(
            text,
            "<rect class=\"ground t{number}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{:.1}\" \
             fill=\"#ffffff\" stroke=\"{colour}\" stroke-width=\"{stroke}\"{dashes}/>",
            node.width,
            node.height,
            node.height / 2.0
        );
        weight = if is_centre {
            " font-weight=\"600\""
        } else {
            ""
        };
    }
    let slant = if node.entity_type.is_none() {
        " font-style=\"italic\""
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "<text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#1f2328\"{weight}{slant}>{shown}</text></g>",
        node.x,
        node.y + 4.5
    );
}

/// The types in the picture with their colours, and the width of the legend.
fn legend(layout: &Layout) -> (String, f64) {
    let mut text = String::new();
    let mut x = 24.0;
    for entity_type in EntityType::ALL {
        if !layout
            .nodes
            .iter()
            .any(|node| node.entity_type == Some(*entity_type))
        {
            continue;
        }
        let number = usize::from(entity_type.number()) % COLOURS.len();
        let _ = write!(
            text,
            "<circle class=\"f{number}\" cx=\"{x:.1}\" cy=\"8\" r=\"5\" fill=\"{}\"/>\
             <text class=\"pale\" x=\"{:.1}\" y=\"12\" font-size=\"12\" fill=\"#59636e\">{entity_type}</text>",
            COLOURS[number].0,
            x + 10.0
        );
        x += 34.0 + text_width(entity_type.as_str());
    }
    (text, x)
}

/// Escapes text for XML, and replaces characters that XML does not allow.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            control if control.is_control() => safe.push(' '),
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use anamne::Object;

    use super::super::samples::{entity, relation, star};
    use super::*;

    #[test]
    fn the_same_surroundings_give_the_same_picture() {
        let around = star(2);
        let picture = svg(&around, Timestamp::UNIX_EPOCH);
        assert_eq!(picture, svg(&around.clone(), Timestamp::UNIX_EPOCH));
        insta::assert_snapshot!(picture);
    }

    #[test]
    fn no_name_becomes_markup() {
        let hostile = entity("<script>alert('&\"')</script>", EntityType::Symbol);
        let mut around = Neighbourhood::default();
        let value = Object::Value("</text><a href='x'>\u{1}\u{ffff}".to_owned());
        around.relations.push(relation(&hostile, "says<b>", value));
        around.entities.push((0, hostile));
        let picture = svg(&around, Timestamp::UNIX_EPOCH);
        for forbidden in ["<script", "<a ", "<b>", "alert('", "\u{1}", "\u{ffff}"] {
            assert!(!picture.contains(forbidden), "{forbidden}: {picture}");
        }
        assert!(
            picture.contains("&lt;script&gt;alert(&#39;&amp;&quot;"),
            "{picture}"
        );
        assert!(svg(&Neighbourhood::default(), Timestamp::UNIX_EPOCH).ends_with("</svg>\n"));
    }
}
