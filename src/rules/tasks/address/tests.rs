//! Tests of targets and of the recipients that are woken.

use crate::rules::tasks::address::*;

fn member(name: &str, parent: &str, project: &str) -> Addressee {
    Addressee {
        id: AgentId::fresh(),
        name: name.parse().unwrap(),
        parent: parent.parse().ok(),
        project: project.to_owned(),
    }
}

/// A lead with two children in one project, a single agent in another project, and two projects with the same name.
fn members() -> Vec<Addressee> {
    vec![
        member("lead", "", "/src/api"),
        member("fix", "lead", "/src/api"),
        member("docs", "lead", "/src/api"),
        member("alone", "", "/src/web"),
        member("old", "gone", "/a/site"),
        member("new", "", "/b/site"),
        member("parent", "", "/b/site"),
    ]
}

/// Returns the recipients, with `*` after those that are woken.
fn reached(target: &str, sender: &str, text: &str) -> Result<String, NoRecipient> {
    let members = members();
    let known = AddressBook {
        sender: members.iter().find(|member| member.name.as_str() == sender),
        members: &members,
        path_of: &|text| match text {
            "" | "." => Some("/src/web".to_owned()),
            path if path.starts_with('/') => Some(path.to_owned()),
            _ => None,
        },
    };
    let reached = reach(&Address::parse(target), text, &known)?;
    let names = reached.to.iter().map(|(to, wake)| {
        let name = match to {
            Recipient::Agent(_, name) => name.as_str(),
            Recipient::Person => "(person)",
        };
        format!("{name}{}", if *wake { "*" } else { "" })
    });
    Ok(names.collect::<Vec<_>>().join(" "))
}

#[test]
fn target_is_an_agent_a_reserved_word_or_a_project() {
    for (target, sender, expected) in [
        ("fix", "", "fix*"),
        ("fix", "fix", "fix*"),
        ("fix@api", "alone", "fix*"),
        ("fix@/src/api", "", "fix*"),
        ("new@site", "", "new*"),
        ("alone@", "", "alone*"),
        ("person", "fix", "(person)"),
        ("person", "", "(person)"),
        ("parent", "fix", "lead*"),
        ("parent", "lead", "(person)"),
        ("parent", "old", "(person)"),
        ("parent@site", "", "parent*"),
        ("children", "lead", "fix* docs*"),
        ("@api", "lead", "fix docs"),
        ("@api", "", "lead fix docs"),
        ("@/src/web", "", "alone"),
        ("@.", "", "alone"),
        ("@/a/site", "", "old"),
    ] {
        assert_eq!(reached(target, sender, "hello"), Ok(expected.to_owned()), "{target} by {sender:?}");
    }
}

#[test]
fn unreachable_recipient_is_reported_with_the_reason() {
    let typed = |name: &str| name.to_owned();
    let known: Vec<AgentName> = members().into_iter().map(|member| member.name).collect();
    let projects: Vec<String> = ["/a/site", "/b/site", "/src/api", "/src/web"].map(str::to_owned).into();
    for (target, sender, expected) in [
        ("fox", "", NoRecipient::NoAgent { name: typed("fox"), known: known.clone() }),
        ("", "", NoRecipient::NoAgent { name: typed(""), known: known.clone() }),
        ("a b@api", "", NoRecipient::NoAgent { name: typed("a b"), known }),
        (
            "fix@web",
            "",
            NoRecipient::Elsewhere {
                name: "fix".parse().unwrap(),
                project: typed("web"),
                is_in: typed("/src/api"),
            },
        ),
        ("@app", "", NoRecipient::NoProject { project: typed("app"), known: projects }),
        (
            "@site",
            "",
            NoRecipient::Several { project: typed("site"), paths: vec![typed("/a/site"), typed("/b/site")] },
        ),
        ("@web", "alone", NoRecipient::Alone { project: typed("/src/web") }),
        ("parent", "", NoRecipient::NoParent),
        ("children", "", NoRecipient::NoChildren { of: None }),
        ("children", "fix", NoRecipient::NoChildren { of: "fix".parse().ok() }),
    ] {
        assert_eq!(reached(target, sender, "hello"), Err(expected), "{target} by {sender:?}");
    }
}

#[test]
fn only_mentioned_agents_of_a_project_are_woken() {
    for (text, expected) in [
        ("@fix look at this", "fix* docs"),
        ("(@docs) and @fix, please", "fix* docs*"),
        ("**@docs** @fix-up __@fix__", "fix* docs*"),
        ("@fix-", "fix* docs"),
        ("me@fix.example and fix and @ fix", "fix docs"),
        ("@FIX @fixes @", "fix docs"),
        ("für@fix é@docs", "fix docs"),
        ("@lead", "fix docs"),
    ] {
        assert_eq!(reached("@api", "lead", text), Ok(expected.to_owned()), "{text}");
    }
}
