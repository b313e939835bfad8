-- What was experienced: a view of the log. Rows are those of the source; `step` counts the tool calls of an episode.

-- `judged` is the last event that changed what is known of the success of searches.
CREATE TABLE state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    watermark INTEGER NOT NULL,
    judged INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (1, 0, 0);

-- Distinct texts: goals, calls, normalised errors, queries, names. 0 stands for none. `code` has the signs of the vector of a goal,
-- a query or a lesson.
CREATE TABLE texts (
    text INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL UNIQUE,
    content TEXT NOT NULL,
    code BLOB
) STRICT;

-- The words of normalised errors, by hash, to find errors like one; `words` is how many different ones the error has.
CREATE TABLE error_words (
    word INTEGER NOT NULL,
    error INTEGER NOT NULL,
    words INTEGER NOT NULL,
    PRIMARY KEY (word, error)
) STRICT, WITHOUT ROWID;

CREATE TABLE outcomes (
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    at INTEGER NOT NULL,
    action INTEGER NOT NULL,
    call INTEGER NOT NULL,
    error INTEGER NOT NULL,
    goal INTEGER NOT NULL,
    run INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    -- In hundredths; from 50 on it is a success unless the record says otherwise.
    score INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    ends_run INTEGER NOT NULL,
    -- The memory, to find judgements of it; null for tool calls of episodes and transcripts.
    id BLOB,
    -- Digests of the names and numbers for which placeholders stand in the normalised call and error; 0 if there are none.
    call_names INTEGER NOT NULL,
    error_names INTEGER NOT NULL,
    -- Whether the call only reads.
    only_reads INTEGER NOT NULL,
    PRIMARY KEY (row, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_call ON outcomes (call, at);
CREATE INDEX outcomes_error ON outcomes (error, at) WHERE error <> 0;
CREATE INDEX outcomes_goal ON outcomes (goal, at) WHERE ends_run = 1;
CREATE INDEX outcomes_agent ON outcomes (agent, row, succeeded) WHERE ends_run = 1;
CREATE INDEX outcomes_run ON outcomes (run) WHERE run <> 0;

-- What calls of runs change and take back, to find those that were undone later: `effect` is 1 for a changed file, with digests of
-- the text that was replaced and of the new one, 2 for a file that is taken back, 3 for everything, 4 for a commit, 5 for a revert.
CREATE TABLE effects (
    row INTEGER NOT NULL,
    step INTEGER NOT NULL,
    run INTEGER NOT NULL,
    effect INTEGER NOT NULL,
    path INTEGER NOT NULL,
    former INTEGER,
    later INTEGER,
    PRIMARY KEY (row, step, effect, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX effects_run ON effects (run, effect);

-- Episodes with a goal and tool calls: attempts that a judgement ends. `id` is the memory, to find judgements of it.
CREATE TABLE episodes (
    row INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    goal INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    id BLOB NOT NULL
) STRICT;
CREATE INDEX episodes_goal ON episodes (goal);

-- The memories that whoever acted had in view.
CREATE TABLE in_view (
    row INTEGER NOT NULL,
    memory BLOB NOT NULL,
    PRIMARY KEY (row, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX in_view_memory ON in_view (memory);

CREATE TABLE judgements (
    row INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    about BLOB,
    verdict INTEGER NOT NULL
) STRICT;
CREATE INDEX judgements_about ON judgements (about) WHERE about IS NOT NULL;

CREATE TABLE searches (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    query INTEGER NOT NULL,
    strategy INTEGER NOT NULL,
    -- How many other strategies were tried before for the same question, and the features of the query: f32, little-endian.
    tried INTEGER NOT NULL,
    features BLOB NOT NULL,
    experiment INTEGER NOT NULL,
    confidence REAL NOT NULL,
    results INTEGER NOT NULL,
    took_us INTEGER NOT NULL
) STRICT;
CREATE INDEX searches_query ON searches (query);
CREATE INDEX searches_at ON searches (at);

CREATE TABLE search_feedback (
    row INTEGER PRIMARY KEY,
    search BLOB NOT NULL,
    usefulness INTEGER NOT NULL,
    used INTEGER NOT NULL,
    implied INTEGER NOT NULL
) STRICT;
CREATE INDEX search_feedback_search ON search_feedback (search);

-- `item` is the key of the proposed lesson that it was kept from, or that it sets aside; 0 if it was told.
CREATE TABLE lessons (
    row INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    item INTEGER NOT NULL,
    set_aside INTEGER NOT NULL
) STRICT;
CREATE INDEX lessons_item ON lessons (item) WHERE item <> 0;

CREATE TABLE working (
    row INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    key INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;
CREATE INDEX working_key ON working (session, agent, key);

CREATE TABLE experiments (
    row INTEGER PRIMARY KEY,
    name INTEGER NOT NULL,
    ended INTEGER NOT NULL
) STRICT;
CREATE INDEX experiments_name ON experiments (name);
