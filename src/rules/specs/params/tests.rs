//! Tables for given values, and properties of texts with substituted values.

use proptest::prelude::*;

use crate::model::ParamSort;
use crate::rules::specs::params::*;

fn param(sort: ParamSort, default: Option<ParamValue>) -> Param {
    Param { sort, default, description: None }
}

fn given(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn values(pairs: &[(&str, &str)]) -> Vec<GivenParam> {
    let value = |text: &str| ParamValue::Text(text.to_owned());
    pairs.iter().map(|(name, text)| GivenParam { name: (*name).into(), value: value(text) }).collect()
}

#[test]
fn given_parameters_are_typed_and_others_have_defaults() {
    let taken: BTreeMap<String, Param> = [
        ("region".to_owned(), param(ParamSort::String, Some(ParamValue::Text("europe".into())))),
        ("days".to_owned(), param(ParamSort::Int, None)),
    ]
    .into();
    for (pairs, expected) in [
        (vec![("days", "3")], Ok(vec!["days=3", "region=europe"])),
        (vec![("days", "-3"), ("region", "a=b")], Ok(vec!["days=-3", "region=a=b"])),
        (vec![], Err(vec!["`days` must be given: a whole number"])),
        (vec![("days", "soon")], Err(vec!["`days`: `soon` is not a whole number"])),
        (vec![("days", "1"), ("days", "2")], Err(vec!["`days` is given twice"])),
        (
            vec![("day\u{1b}s", "1")],
            Err(vec![
                "`day\\u{1b}s` is not one of its parameters; it takes days, region",
                "`days` must be given: a whole number",
            ]),
        ),
    ] {
        let settled = resolve_values(&taken, &given(&pairs));
        let settled = settled.map(|values| {
            values.iter().map(|param| format!("{}={}", param.name, param.value)).collect::<Vec<_>>()
        });
        let texts = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(settled, expected.map(texts).map_err(texts), "{pairs:?}");
    }
    assert_eq!(
        resolve_values(&BTreeMap::new(), &given(&[("a", "b")])).unwrap_err(),
        ["`a` is not one of its parameters; it takes none"]
    );
}

#[test]
fn two_parameters_cannot_share_a_variable() {
    let text = || param(ParamSort::String, Some(ParamValue::Text(String::new())));
    let taken = [("Region".to_owned(), text()), ("region".to_owned(), text())].into();
    assert_eq!(
        resolve_values(&taken, &[]).unwrap_err(),
        ["`Region` and `region` would be the same variable"]
    );
}

#[test]
fn names_in_braces_are_replaced_and_all_else_stays() {
    let values = values(&[("a", "1"), ("b_2", "{{a}}")]);
    for (text, expected) in [
        ("x {{a}} y", "x 1 y"),
        ("{{ a }}{{a}}", "11"),
        ("{{b_2}}", "{{a}}"),
        ("{{c}} {{}} {{ {a} }} {a} }}{{", "{{c}} {{}} {{ {a} }} {a} }}{{"),
        ("{{{a}}}", "{1}"),
        ("{{a", "{{a"),
        ("ü{{a}}ü", "ü1ü"),
        ("", ""),
    ] {
        assert_eq!(fill(text, &values), expected, "{text}");
    }
    assert_eq!(unknown_names("{{a}} {{c}} {{ c }} {{d}} {{1}}", &values), ["c", "d"]);
}

proptest! {
    #[test]
    fn a_value_of_any_text_is_inserted_verbatim(
        before in "[^{}]{0,20}", value in any::<String>(), between in "[^{}]{0,20}", other in any::<String>(),
    ) {
        let text = format!("{before}{{{{a}}}}{between}{{{{ b }}}}");
        let values = values(&[("a", &value), ("b", &other)]);
        prop_assert_eq!(fill(&text, &values), format!("{before}{value}{between}{other}"));
    }

    #[test]
    fn a_text_without_parameters_is_never_changed(text in any::<String>()) {
        prop_assert_eq!(fill(&text, &[]), text);
    }

    #[test]
    fn unknown_names_in_braces_are_left_unchanged(text in "(\\{|\\}|a| |ü){0,30}") {
        prop_assert_eq!(fill(&text, &values(&[("b", "1")])), text);
    }
}
