//! Values that stand in a text more than once.

use super::*;

#[test]
fn a_value_is_found_wherever_it_stands_again() {
    let value = random(ALNUM, 14, 77);
    let text = format!("password: {value}\n\nlogin(\"{value}\"), then x{value} and {value}y.");
    expect(&text, &[("password", value.as_str()); 2]);
    let short = "kQ9xVb2";
    let text = format!("password: {short}\n{short} again");
    expect(&text, &[("password", short)]);
    let code = "the gate code is 48213907, order 48213907";
    expect(code, &[("access-code", "48213907")]);
    settle();
}

#[test]
fn many_values_cost_linear_work() {
    let text = |count: u64| -> String {
        let line = |seed| format!("password={}\nabc\n", random(ALNUM, 12, seed));
        (1..=count).map(line).collect()
    };
    let steps = |text: &str| {
        steps::take();
        found(text);
        steps::take()
    };
    let (short, long) = (steps(&text(500)), steps(&text(1_000)));
    assert!(long <= short * 21 / 10, "{short}, {long}");
}
