//! Files of templates.

use super::Half;

/// A template with its labels.
#[derive(Debug)]
pub(super) struct Template<'file> {
    /// The text with slots.
    pub(super) text: &'file str,
    /// The class of secrets, the kind of personal data, or the group of a clean text.
    pub(super) group: &'file str,
    /// The extension of a file that would contain it.
    pub(super) extension: &'file str,
    /// Hard to find, or easily mistaken.
    pub(super) is_hard: bool,
    /// Its half: templates alternate.
    pub(super) half: Half,
}

/// Reads a file: `## group extension [hard]` opens a section, every other line is a template. Lines before the first
/// section are comments.
pub(super) fn parse(file: &str) -> Vec<Template<'_>> {
    let mut templates: Vec<Template<'_>> = Vec::new();
    let mut section = None;
    for line in file.lines().filter(|line| !line.is_empty()) {
        if let Some(labels) = section_labels(line) {
            section = Some(labels);
            continue;
        }
        let Some((group, extension, is_hard)) = section else {
            continue;
        };
        templates.push(Template {
            text: line,
            group,
            extension,
            is_hard,
            half: half(templates.len()),
        });
    }
    templates
}

/// Halves alternate in the file.
fn half(number: usize) -> Half {
    if number.is_multiple_of(2) {
        Half::Development
    } else {
        Half::HeldOut
    }
}

/// Group, extension, whether hard; `None` if the line is no section. A Markdown heading has a slot.
fn section_labels(line: &str) -> Option<(&str, &str, bool)> {
    let mut labels = line.strip_prefix("## ")?.split(' ');
    let section = (
        labels.next()?,
        labels.next()?,
        labels.next() == Some("hard"),
    );
    (!line.contains('⟦')).then_some(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_sections_of_templates() {
        let file = "# comment\n\n## jwt log hard\none ⟦!jwt⟧\n# two\n\n## prose md\n## ⟦word⟧ 3\n";
        let read = parse(file);
        let labels: Vec<_> = read
            .iter()
            .map(|one| (one.text, one.group, one.is_hard))
            .collect();
        assert_eq!(
            labels,
            [
                ("one ⟦!jwt⟧", "jwt", true),
                ("# two", "jwt", true),
                ("## ⟦word⟧ 3", "prose", false)
            ]
        );
        assert_eq!(read[0].half, Half::Development);
        assert_eq!(read[1].half, Half::HeldOut);
        assert_eq!(read[2].extension, "md");
    }
}
