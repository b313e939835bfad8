//! A bare tantivy index: the ten best documents by BM25 for any of the words, without stored texts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tantivy::collector::TopDocs;
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{LowerCaser, SimpleTokenizer, Stemmer, TextAnalyzer};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::super::site::{RESULTS, Site};
use crate::failure::Failure;

const FIELD: &str = "text";
const TOKENIZER: &str = "english";

/// Bytes of the writer's arena.
const ARENA: usize = 128 << 20;

/// An open index with one segment.
pub(crate) struct TantivyIndex {
    folder: PathBuf,
    reader: IndexReader,
    analyser: TextAnalyzer,
    field: Field,
}

impl TantivyIndex {
    /// Indexes every record and merges all segments into one.
    pub(crate) fn build(site: &Site) -> Result<Self, Failure> {
        let folder = site.peer("tantivy")?;
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let mut schema = Schema::builder();
        let field =
            schema.add_text_field(FIELD, TextOptions::default().set_indexing_options(indexing));
        let index = Index::create_in_dir(&folder, schema.build())?;
        index.tokenizers().register(TOKENIZER, analyser());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, ARENA)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        site.for_each_batch(|_, records| {
            for record in records {
                let mut document = TantivyDocument::default();
                document.add_text(field, &record.text);
                writer.add_document(document)?;
            }
            Ok(())
        })?;
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        Self::open(&folder)
    }

    fn open(folder: &Path) -> Result<Self, Failure> {
        let index = Index::open_in_dir(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            reader: index
                .reader_builder()
                .reload_policy(ReloadPolicy::Manual)
                .try_into()?,
            analyser: analyser(),
            field: index.schema().get_field(FIELD)?,
        })
    }

    /// Reopens the index and queries it.
    pub(crate) fn open_and_ask(&self, question: &str) -> Result<(), Failure> {
        Self::open(&self.folder)?.ask(question)
    }

    /// Queries the ten best documents for any word of the question.
    pub(crate) fn ask(&self, question: &str) -> Result<(), Failure> {
        let query = BooleanQuery::new(self.clauses(question));
        let best = TopDocs::with_limit(RESULTS).order_by_score();
        let found = self.reader.searcher().search(&query, &best)?;
        if found.is_empty() {
            return Err(format!("tantivy finds nothing for {question:?}").into());
        }
        std::hint::black_box(found);
        Ok(())
    }

    fn clauses(&self, question: &str) -> Vec<(Occur, Box<dyn Query>)> {
        let mut words = BTreeSet::new();
        self.analyser
            .clone()
            .token_stream(question)
            .process(&mut |token| {
                words.insert(token.text.clone());
            });
        let clause = |word: String| {
            let term = Term::from_field_text(self.field, &word);
            let query: Box<dyn Query> =
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, query)
        };
        words.into_iter().map(clause).collect()
    }
}

fn analyser() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(LowerCaser)
        .filter(Stemmer::default())
        .build()
}
