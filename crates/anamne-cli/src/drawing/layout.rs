//! Radial layout: rings around the centre, one ring per step.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::{PI, TAU};

use anamne::{Entity, EntityId, EntityType, KnowledgeState, Neighbourhood, Relation};
use jiff::Timestamp;
use textwrap::core::display_width;

use super::tree::cut;
use super::{End, Subtree, build_tree, is_over, label};
use crate::wording::one_line;

/// Maximum columns of a name in the picture; its tooltip has the whole name.
const COLUMNS: usize = 28;

/// Height of a box.
const HEIGHT: f64 = 28.0;

/// Padding left and right of the text in a box.
const PADDING: f64 = 12.0;

/// Minimum gap between two boxes.
const GAP: f64 = 14.0;

/// Height of an edge label.
const LINE: f64 = 14.0;

/// Margin around the picture.
const MARGIN: f64 = 24.0;

/// Minimum horizontal gap between the boxes of adjacent rings, for edge labels.
const RING_GAP_X: f64 = 110.0;

/// Minimum vertical gap between the boxes of adjacent rings.
const RING_GAP_Y: f64 = 56.0;

/// A box with a name or a value.
pub(super) struct Node {
    /// The displayed text.
    pub(super) text: String,
    /// The full text.
    pub(super) whole: String,
    /// The entity's type; `None` for a value.
    pub(super) entity_type: Option<EntityType>,
    pub(super) inferred: bool,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An edge between two boxes.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    pub(super) contested: bool,
    pub(super) over: bool,
    /// Whether a relation holds in the other direction too.
    pub(super) both_ways: bool,
    /// The position of the label.
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The picture. The coordinates of all boxes are between 0 and its size.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    pub(super) fn of(around: &Neighbourhood, now: Timestamp) -> Self {
        let Some(root) = build_tree(around, now) else {
            return Self::default();
        };
        let mut layout = Self::default();
        let mut placing = LayoutBuilder::default();
        placing.sprout(&root, None, &mut layout);
        placing.join(&mut layout, now);
        placing.spread(&mut layout);
        layout.write_on_lines();
        layout.move_into_view();
        layout
    }

    /// The ends of an edge, at the borders of its boxes.
    pub(super) fn ends(&self, edge: &Edge) -> ((f64, f64), (f64, f64)) {
        let (from, to) = (&self.nodes[edge.from], &self.nodes[edge.to]);
        (border(from, to), border(to, from))
    }

    /// Places every edge label as close to the edge's middle as possible without covering a box.
    fn write_on_lines(&mut self) {
        const PLACES: [f64; 9] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
        for number in 0..self.edges.len() {
            let edge = &self.edges[number];
            let ((x1, y1), (x2, y2)) = self.ends(edge);
            let half = text_width(&edge.label) / 2.0;
            let at = |share: f64| (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
            let free = PLACES
                .map(at)
                .into_iter()
                .find(|place| self.is_free(*place, half));
            let (x, y) = free.unwrap_or(at(0.5));
            (self.edges[number].x, self.edges[number].y) = (x, y);
        }
    }

    /// Whether a label of this half width covers no box.
    fn is_free(&self, (x, y): (f64, f64), half: f64) -> bool {
        self.nodes.iter().all(|node| {
            (node.x - x).abs() >= node.width / 2.0 + half
                || (node.y - y).abs() >= f64::midpoint(node.height, LINE)
        })
    }

    fn push(&mut self, whole: &str, entity: Option<&Entity>) -> usize {
        let whole = one_line(whole);
        let text = cut(&whole, COLUMNS);
        self.nodes.push(Node {
            width: text_width(&text) + 2.0 * PADDING,
            height: HEIGHT,
            text,
            whole,
            entity_type: entity.map(|entity| entity.entity_type),
            inferred: entity.is_some_and(|entity| entity.state == KnowledgeState::Inferred),
            x: 0.0,
            y: 0.0,
        });
        self.nodes.len() - 1
    }

    /// Moves everything so that the picture starts at 0, with a margin; leaves room for a line of text below.
    fn move_into_view(&mut self) {
        let boxes = self.nodes.iter().map(|node| {
            let (half_width, half_height) = (node.width / 2.0, node.height / 2.0);
            (node.x, node.y, half_width, half_height)
        });
        let words = self.edges.iter().map(|edge| {
            let half = text_width(&edge.label) / 2.0;
            (edge.x, edge.y, half, LINE / 2.0)
        });
        let (mut left, mut top) = (f64::MAX, f64::MAX);
        let (mut right, mut bottom) = (f64::MIN, f64::MIN);
        for (x, y, half_width, half_height) in boxes.chain(words) {
            left = left.min(x - half_width - MARGIN);
            right = right.max(x + half_width + MARGIN);
            top = top.min(y - half_height - MARGIN);
            bottom = bottom.max(y + half_height + MARGIN);
        }
        for node in &mut self.nodes {
            node.x -= left;
            node.y -= top;
        }
        for edge in &mut self.edges {
            edge.x -= left;
            edge.y -= top;
        }
        self.width = right - left;
        self.height = bottom - top;
    }
}

/// Where the line between the centres of two boxes leaves the first.
fn border(node: &Node, towards: &Node) -> (f64, f64) {
    let (dx, dy) = (towards.x - node.x, towards.y - node.y);
    let across = (node.width / 2.0) / dx.abs().max(f64::EPSILON);
    let along = (node.height / 2.0) / dy.abs().max(f64::EPSILON);
    let share = across.min(along).min(0.5);
    (node.x + dx * share, node.y + dy * share)
}

/// Maximum width of a text in any common 13-pixel typeface.
pub(super) fn text_width(text: &str) -> f64 {
    let width = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' '
        | '(' | ')' | '-' => 5.2,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 12.6,
        'A'..='Z' => 9.6,
        other => 7.8 * display_width(other.encode_utf8(&mut [0; 4])).max(1) as f64,
    };
    text.chars().map(width).sum()
}

/// The layout state of a box.
struct Place {
    ring: usize,
    above: Option<usize>,
    below: Vec<usize>,
    /// Number of leaves of its subtree.
    leaves: usize,
    angle: f64,
    span: f64,
}

#[derive(Default)]
struct LayoutBuilder<'a> {
    places: Vec<Place>,
    boxes: HashMap<EntityId, usize>,
    /// Relations between boxes, with their ends.
    said: Vec<(RelationLabel<'a>, &'a Relation)>,
}

/// The ends of a relation.
enum RelationLabel<'a> {
    Between(EntityId, &'a Entity),
    Of(EntityId, usize),
}

impl<'a> LayoutBuilder<'a> {
    fn sprout(&mut self, sprout: &Subtree<'a>, above: Option<usize>, layout: &mut Layout) -> usize {
        let own = self.put(above, layout.push(&sprout.entity.name, Some(sprout.entity)));
        self.boxes.insert(sprout.entity.id, own);
        for branch in &sprout.branches {
            let from = sprout.entity.id;
            let said = match &branch.end {
                End::Subtree(next) => {
                    self.sprout(next, Some(own), layout);
                    RelationLabel::Between(from, next.entity)
                }
                End::Elsewhere(other) => RelationLabel::Between(from, other),
                End::Value(value) => {
                    let leaf = layout.push(value, None);
                    RelationLabel::Of(from, self.put(Some(own), leaf))
                }
            };
            self.said.push((said, branch.relation));
        }
        let leaves = self.places[own].below.iter();
        let leaves: usize = leaves.map(|&below| self.places[below].leaves).sum();
        self.places[own].leaves = leaves.max(1);
        own
    }

    fn put(&mut self, above: Option<usize>, number: usize) -> usize {
        let ring = above.map_or(0, |above| self.places[above].ring + 1);
        self.places.push(Place {
            ring,
            above,
            below: Vec::new(),
            leaves: 1,
            angle: 0.0,
            span: TAU,
        });
        if let Some(above) = above {
            self.places[above].below.push(number);
        }
        number
    }

    /// Joins all relations between two boxes into one edge.
    fn join(&self, layout: &mut Layout, now: Timestamp) {
        let mut joined: BTreeMap<(usize, usize), Vec<(bool, &Relation)>> = BTreeMap::new();
        for (said, relation) in &self.said {
            let (drawn_from, end) = match said {
                RelationLabel::Between(from, other) => {
                    (self.boxes[from], self.boxes.get(&other.id).copied())
                }
                RelationLabel::Of(from, leaf) => (self.boxes[from], Some(*leaf)),
            };
            let Some(end) = end.filter(|end| *end != drawn_from) else {
                continue;
            };
            let forward = match said {
                RelationLabel::Between(from, _) => relation.subject == *from,
                RelationLabel::Of(..) => true,
            };
            let (from, to) = if forward {
                (drawn_from, end)
            } else {
                (end, drawn_from)
            };
            let key = (from.min(to), from.max(to));
            joined.entry(key).or_default().push((from < to, relation));
        }
        for ((low, high), said) in joined {
            let upwards = said[0].0;
            let words: Vec<_> = said.iter().map(|(_, relation)| label(relation)).collect();
            layout.edges.push(Edge {
                from: if upwards { low } else { high },
                to: if upwards { high } else { low },
                label: cut(&words.join(", "), COLUMNS),
                contested: said
                    .iter()
                    .any(|(_, relation)| relation.state == KnowledgeState::Contested),
                over: said.iter().all(|(_, relation)| is_over(relation, now)),
                both_ways: said
                    .iter()
                    .any(|(direction, relation)| *direction != upwards || relation.both_ways),
                x: 0.0,
                y: 0.0,
            });
        }
    }

    /// Assigns every box an angle proportional to its leaves, and every ring a radius at which its boxes fit.
    fn spread(&mut self, layout: &mut Layout) {
        for number in 0..self.places.len() {
            let (mut begin, span) = {
                let place = &self.places[number];
                (place.angle - place.span / 2.0, place.span)
            };
            if number == 0 {
                begin = -PI / 2.0;
            }
            let share = span / self.places[number].leaves as f64;
            for below in self.places[number].below.clone() {
                let span = share * self.places[below].leaves as f64;
                self.places[below].span = span;
                self.places[below].angle = begin + span / 2.0;
                begin += span;
            }
        }
        let radii = self.radii(layout);
        for (node, place) in layout.nodes.iter_mut().zip(&self.places) {
            let radius = radii[place.ring];
            node.x = radius * place.angle.cos();
            node.y = radius * place.angle.sin();
        }
    }

    fn radii(&self, layout: &Layout) -> Vec<f64> {
        let rings = self.places.iter().map(|place| place.ring + 1).max();
        let mut radii = vec![0.0; rings.unwrap_or(1)];
        for ring in 1..radii.len() {
            let mut radius: f64 = 0.0;
            for (number, place) in self.places.iter().enumerate() {
                if place.ring != ring {
                    continue;
                }
                let node = &layout.nodes[number];
                let (sine, cosine) = (place.angle.sin().abs(), place.angle.cos().abs());
                let along = node.width * sine + node.height * cosine + GAP;
                // The chord of the span must be as long as the box's extent along the ring.
                let half = (place.span / 2.0).min(PI / 2.0);
                radius = radius.max(along / (2.0 * half.sin()));
                let inner = place
                    .above
                    .map_or(0.0, |above| reach(&layout.nodes[above], sine, cosine));
                let between = RING_GAP_X * cosine + RING_GAP_Y * sine;
                let outward = inner + between + reach(node, sine, cosine);
                radius = radius.max(radii[ring - 1] + outward);
            }
            radii[ring] = radius;
        }
        radii
    }
}

/// The extent of a box from its centre in a direction.
fn reach(node: &Node, sine: f64, cosine: f64) -> f64 {
    f64::midpoint(node.width * cosine, node.height * sine)
}

#[cfg(test)]
mod tests {
    use super::super::samples::star;
    use super::*;

    fn check(around: &Neighbourhood) {
        let layout = Layout::of(around, Timestamp::UNIX_EPOCH);
        for (number, node) in layout.nodes.iter().enumerate() {
            let (half_width, half_height) = (node.width / 2.0, node.height / 2.0);
            assert!(node.x >= half_width && node.x + half_width <= layout.width);
            assert!(node.y >= half_height && node.y + half_height <= layout.height);
            for other in &layout.nodes[..number] {
                let apart = (node.x - other.x).abs() >= f64::midpoint(node.width, other.width)
                    || (node.y - other.y).abs() >= f64::midpoint(node.height, other.height);
                assert!(apart, "{} lies over {}", node.whole, other.whole);
            }
        }
    }

    #[test]
    fn no_box_lies_over_another_or_leaves_the_picture() {
        for count in [0, 1, 2, 3, 7, 20, 60, 200] {
            check(&star(count));
        }
    }

    #[test]
    fn no_words_on_a_line_leave_the_picture() {
        let mut around = star(2);
        for relation in &mut around.relations {
            relation.relation = "stands_in_a_long_relation_to".into();
        }
        let layout = Layout::of(&around, Timestamp::UNIX_EPOCH);
        for edge in &layout.edges {
            let (x, y) = (edge.x, edge.y);
            let half = text_width(&edge.label) / 2.0;
            assert!(x - half >= 0.0 && x + half <= layout.width && y >= 0.0 && y <= layout.height);
        }
    }

    #[test]
    fn every_relation_has_its_line() {
        let layout = Layout::of(&star(3), Timestamp::UNIX_EPOCH);
        assert_eq!((layout.nodes.len(), layout.edges.len()), (6, 5));
    }
}
