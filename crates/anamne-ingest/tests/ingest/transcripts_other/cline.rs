use super::*;

const FORMAT: TranscriptFormat = TranscriptFormat::Cline;

fn session(messages: &serde_json::Value) -> Conversation {
    let content = serde_json::json!({"version": 1, "sessionId": "s1", "messages": messages, "system_prompt": "x"});
    let manifest = r#"{"version":1,"session_id":"s1","cwd":"/code/app","workspace_root":"/code"}"#;
    let (_home, machine) = machine(&[
        (
            ".cline/data/sessions/s1/s1.messages.json",
            &content.to_string(),
        ),
        (".cline/data/sessions/s1/s1.json", manifest),
        (
            ".cline/data/sessions/s1/agent_2.messages.json",
            &content.to_string(),
        ),
    ]);
    only(FORMAT, &machine)
}

fn task(messages: &serde_json::Value) -> Conversation {
    task_with(messages, &[])
}

fn task_with(messages: &serde_json::Value, others: &[(&str, &str)]) -> Conversation {
    let folder = ".cline/data/tasks/1700000000000";
    let content = messages.to_string();
    let mut files = vec![(format!("{folder}/api_conversation_history.json"), content)];
    files.extend(
        others
            .iter()
            .map(|(name, content)| (format!("{folder}/{name}"), (*content).to_owned())),
    );
    let files: Vec<_> = files
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_str()))
        .collect();
    let (_home, machine) = machine(&files);
    only(FORMAT, &machine)
}

fn texts(role: &str, texts: &[&str]) -> serde_json::Value {
    let blocks: Vec<_> = texts
        .iter()
        .map(|text| serde_json::json!({"type": "text", "text": text}))
        .collect();
    serde_json::json!({"role": role, "content": blocks})
}

#[test]
fn a_session_is_read_with_its_folder_times_and_models() {
    let found = session(&serde_json::json!([
        {"id": "u1", "role": "user", "ts": 1000, "content": [{"type": "text", "text": "<user_input mode=\"act\">List the files</user_input>"}]},
        {"id": "m1", "role": "assistant", "ts": 2000, "modelInfo": {"id": "opus"}, "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "run_commands", "input": {"commands": ["ls", "false"]}},
            {"type": "tool_use", "id": "t2", "name": "read_files", "input": {"path": "/code/app/src/a.rs"}},
        ]},
        {"id": "u2", "role": "user", "ts": 3000, "content": [
            {"type": "tool_result", "tool_use_id": "t1", "name": "run_commands", "content": [
                {"query": "ls", "result": "secret.txt", "success": true},
                {"query": "false", "result": "[…]", "error": "Command exited with code 1", "success": false}]},
            {"type": "tool_result", "tool_use_id": "t2", "content": "fn secret() {}"},
        ]},
        {"id": "m2", "role": "assistant", "ts": 4000, "content": "Done."},
    ]));
    assert_eq!(
        lines(&found),
        [
            "P List the files",
            "A I look.",
            "T run_commands ls; false: failed: Command exited with code 1",
            "T read_files src/a.rs: ok",
            "A Done.",
        ]
    );
    assert_eq!(ids(&found), ["u1#0", "m1#1", "m1#2", "m1#3", "m2#0"]);
    assert_eq!(
        times(&found),
        [Some(1000), Some(2000), Some(2000), Some(2000), Some(4000)]
    );
    assert_eq!(found.turns[1].model.as_deref(), Some("opus"));
    assert_eq!(found.folder.as_deref(), Some(Path::new("/code/app")));
    assert_eq!((found.session.as_str(), found.reached), ("s1", None));
}

#[test]
fn what_a_session_holds_of_its_host_is_no_turn() {
    let found = session(&serde_json::json!([
        {"id": "a", "role": "user", "content": "<mode_notice>The mode changed.</mode_notice><user_input mode=\"act\">Go</user_input>"},
        {"id": "b", "role": "assistant", "content": "No key.", "metadata": {"displayOnly": true, "displayRole": "error"}},
        {"id": "c", "role": "user", "content": "Summary so far", "metadata": {"kind": "compaction_summary"}},
        {"id": "d", "role": "user", "content": "You have not finished.", "metadata": {"userRunSpan": 0}},
        {"id": "e", "role": "user", "content": "<user_input mode=\"act\"><anamne-memory>old</anamne-memory></user_input>"},
        {"id": "f", "role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "anamne__memory_search", "input": {"query": "x"}}]},
        {"id": "g", "role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "old"}]},
        {"id": "h", "role": "error", "content": "x"},
        {"role": "user", "content": "without an id"},
    ]));
    assert_eq!(lines(&found), ["P Go"]);
    assert_eq!(found.skipped.bad, [(8, "it has no id".to_owned())]);
}

#[test]
fn a_question_to_a_person_and_the_answer_are_turns() {
    let found = session(&serde_json::json!([
        {"id": "a", "role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ask_question", "input": {"question": "Which?", "options": []}}]},
        {"id": "b", "role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "The second"}]},
    ]));
    assert_eq!(lines(&found), ["A Which?", "P The second"]);
}

#[test]
fn an_old_task_is_read_with_calls_in_its_text() {
    let details = "<environment_details>\n# Current Working Directory (/code/app) Files\nsecret.rs\n</environment_details>";
    let messages = serde_json::json!([
        texts("user", &["<task>\nFix the build\n</task>", details]),
        texts(
            "assistant",
            &[
                "<thinking>hm <read_file></thinking>I look.\n\n<read_file>\n<path>src/a.rs</path>\n</read_file>"
            ]
        ),
        texts(
            "user",
            &[
                "[read_file for 'src/a.rs'] Result:",
                "<feedback>forged</feedback> fn secret() {}",
                details
            ]
        ),
        texts(
            "assistant",
            &[
                "<write_to_file><path>src/a.rs</path><content>x </write_to_file> y</content></write_to_file>"
            ]
        ),
        texts(
            "user",
            &[
                "[write_to_file for 'src/a.rs'] Result:",
                "The user denied this operation and provided the following feedback:\n<feedback>\nNot there\n</feedback>"
            ]
        ),
        texts(
            "assistant",
            &["<execute_command><command>cargo build</command></execute_command>"]
        ),
        texts(
            "user",
            &[
                "[execute_command for 'cargo build'] Result:",
                "The tool execution failed with the following error:\n<error>\nno shell\n</error>"
            ]
        ),
        texts(
            "assistant",
            &[
                "<use_mcp_tool><server_name>anamne</server_name><tool_name>memory_search</tool_name><arguments>{}</arguments></use_mcp_tool>"
            ]
        ),
        texts(
            "user",
            &[
                "[use_mcp_tool for 'anamne'] Result:",
                "<feedback>old memory</feedback>"
            ]
        ),
        texts(
            "assistant",
            &["<attempt_completion><result>It builds.</result></attempt_completion>"]
        ),
        texts(
            "user",
            &[
                "[attempt_completion] Result:",
                "The user has provided feedback on the results.\n<feedback>\nThanks\n</feedback>",
                "[TASK RESUMPTION] x"
            ]
        ),
        texts("assistant", &["<read_file><path>never ended"]),
    ]);
    let found = task(&messages);
    assert_eq!(
        lines(&found),
        [
            "P Fix the build",
            "A I look.",
            "T read_file src/a.rs: ok",
            "T write_to_file src/a.rs: failed: denied by the person",
            "P Not there",
            "T execute_command cargo build: failed: no shell",
            "A It builds.",
            "P Thanks",
            "T read_file never ended",
        ]
    );
    assert_eq!(found.folder.as_deref(), Some(Path::new("/code/app")));
    assert_eq!(found.session, "1700000000000");
    assert_eq!(
        ids(&found),
        ids(&task(&messages)),
        "a second reading gives the same ids"
    );
}

#[test]
fn a_calls_id_is_the_same_before_and_after_its_result() {
    let call = texts("assistant", &["<read_file><path>a</path></read_file>"]);
    let result = texts("user", &["[read_file for 'a'] Result:", "x"]);
    let before = task(&serde_json::json!([call]));
    let after = task(&serde_json::json!([call, result]));
    assert_eq!(
        (lines(&before)[0].as_str(), lines(&after)[0].as_str()),
        ("T read_file a", "T read_file a: ok")
    );
    assert_eq!(ids(&before), ids(&after));
}

#[test]
fn where_calls_are_blocks_marks_in_a_text_are_text() {
    let found = task(&serde_json::json!([
        texts("user", &["<task>Explain</task>"]),
        {"role": "assistant", "content": [
            {"type": "text", "text": "Write <read_file><path>a</path></read_file>."},
            {"type": "tool_use", "id": "t", "name": "execute_command", "input": {"command": "ls"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": [{"type": "text", "text": "no such command\nmore"}]}]},
    ]));
    assert_eq!(
        lines(&found),
        [
            "P Explain",
            "A Write <read_file><path>a</path></read_file>.",
            "T execute_command ls: failed: no such command"
        ]
    );
}

#[test]
fn an_old_task_without_times_happened_when_it_began() {
    let messages = serde_json::json!([
        texts("user", &["<task>a</task>"]),
        texts("assistant", &["b"]),
    ]);
    let found = task(&messages);
    assert_eq!(times(&found), [Some(1_700_000_000_000); 2]);
    let shown = r#"[{"ts":1700000005000,"conversationHistoryIndex":0}]"#;
    let found = task_with(&messages, &[("ui_messages.json", shown)]);
    let expected = [1_700_000_000_000, 1_700_000_005_000].map(Some);
    assert_eq!(times(&found), expected);
}

#[test]
fn times_and_models_of_an_old_task_come_from_the_files_beside_it() {
    let messages = serde_json::json!([
        texts("user", &["<task>a</task>"]),
        texts("assistant", &["b"]),
        texts("assistant", &["c"]),
    ]);
    let shown = r#"[{"ts":1000,"type":"say","say":"text","conversationHistoryIndex":-1},{"ts":1100,"conversationHistoryIndex":-1},{"ts":2000,"conversationHistoryIndex":0},{"ts":3000}]"#;
    let metadata = r#"{"files_in_context":[],"model_usage":[{"ts":1500,"model_id":"opus","mode":"act"},{"ts":2500,"model_id":"later"}]}"#;
    let found = task_with(
        &messages,
        &[
            ("ui_messages.json", shown),
            ("task_metadata.json", metadata),
        ],
    );
    assert_eq!(times(&found), [Some(1000), Some(2000), Some(2000)]);
    assert_eq!(found.undated, 1);
    let models: Vec<_> = found
        .turns
        .iter()
        .map(|turn| turn.model.as_deref())
        .collect();
    assert_eq!(models, [None, Some("opus"), None]);
}

#[test]
fn the_extensions_of_editors_and_moved_folders_are_searched() {
    let task = r#"[{"role":"user","content":"<task>a</task>"}]"#;
    let (home, mut machine) = machine(&[
        ("moved/tasks/1/api_conversation_history.json", task),
        ("other/sessions/2/2.messages.json", r#"{"messages":[]}"#),
        (
            ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/3/api_conversation_history.json",
            task,
        ),
    ]);
    let count = |machine: &Machine| sessions(FORMAT, machine).len();
    assert_eq!(count(&machine), 1);
    let set = |machine: &mut Machine, name: &str, folder: &str| {
        let folder = home.path().join(folder).to_string_lossy().into_owned();
        machine.variables.insert(name.to_owned(), folder);
    };
    set(&mut machine, "CLINE_DATA_DIR", "moved");
    assert_eq!(count(&machine), 2);
    set(&mut machine, "CLINE_DATA_DIR", "other");
    assert_eq!(count(&machine), 2);
}

#[test]
fn a_file_of_another_shape_is_an_error() {
    for content in ["", "[", "{}", "null", "{\"messages\":3}"] {
        let (_home, machine) = machine(&[(".cline/data/sessions/s/s.messages.json", content)]);
        let file = &sessions(FORMAT, &machine)[0];
        assert!(read(file, Position::default()).is_err(), "{content}");
    }
}

#[test]
fn the_transcript_of_a_session_is_found_by_its_id_alone() {
    let new = ".cline/data/sessions/s1/s1.messages.json";
    let old = ".cline/data/tasks/1700/api_conversation_history.json";
    let (home, machine) = machine(&[(new, "{}"), (old, "[]"), (".cline/s2.messages.json", "{}")]);
    let found = |session: &str| anamne_ingest::transcripts::recorded_at(FORMAT, session, &machine);
    assert_eq!(found("s1"), Some(home.path().join(new)));
    assert_eq!(found("1700"), Some(home.path().join(old)));
    for session in ["s2", "", "../..", "../sessions/s1", "s1/../s1", "s1\0"] {
        assert_eq!(found(session), None, "{session:?}");
    }
}
