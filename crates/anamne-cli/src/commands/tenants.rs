//! `anamne tenants`.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use anamne::{ExportExtra, Options, ServerRecords, Store, TenantInfo, TenantQuota};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{DIM, Output, RED, YELLOW, counted, memories, report};
use crate::place::Place;
use crate::wording::{number, size};

/// Manage the tenants of the server
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each tenant has a store of its own, under server/tenants in the server's store.
Tenants share no file. The server's own store is the tenant `default`, which
can't be suspended or erased. A running server notices changes: new and erased
tenants and suspensions at once, quotas within ten seconds.

Other commands work with a tenant's store through --store.

Examples:
  anamne tenants create acme --memories 100000 --bytes 2000000000
  anamne tenants list
  anamne tenants show acme
  anamne tenants limit acme --requests-per-minute 600
  anamne tenants suspend acme
  anamne tenants resume acme
  anamne tenants export acme --output acme.anamne
  anamne tenants erase acme

With --json: list {\"tenants\": [..]}, show {\"tenant\", \"usage\": {\"memories\",
  \"bytes\", \"model_dollars_this_month\"}}; a tenant: {\"name\", \"created_at\"?,
  \"suspended_at\"?, \"erasing\"?, \"used_at\"?, \"quota\", \"requests_today\"}")]
pub(crate) struct Tenants {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Create a tenant
    Create {
        /// Its name: a-z, 0-9 and -
        name: String,
        #[command(flatten)]
        quota: Quota,
    },
    /// List tenants
    List,
    /// Show a tenant, its quota and what it uses
    Show {
        /// Its name
        name: String,
    },
    /// Set what a tenant may use; what is not given stays
    Limit {
        /// Its name
        name: String,
        #[command(flatten)]
        quota: Quota,
    },
    /// Refuse the keys of a tenant until it is resumed
    Suspend {
        /// Its name
        name: String,
    },
    /// Accept the keys of a suspended tenant again
    Resume {
        /// Its name
        name: String,
    },
    /// Write all spaces of a tenant with their history to one file
    Export {
        /// Its name
        name: String,
        /// The file
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Erase a tenant with everything in it, and its keys
    #[command(after_help = "\
Nobody reaches the tenant from then on. The next `anamne backup DIR --tenants`
erases it in DIR; other backups and exports stay. The name is free again after a
minute.")]
    Erase {
        /// Its name
        name: String,
        /// Erase without asking
        #[arg(long, short)]
        yes: bool,
    },
}

/// Limits; 0 for none.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Quota (0: no limit)")]
struct Quota {
    /// Memories in all spaces
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    memories: Option<u64>,
    /// Bytes of all spaces
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    bytes: Option<u64>,
    /// Requests per minute, on each server process
    #[arg(long, value_name = "NUMBER")]
    requests_per_minute: Option<u32>,
    /// Requests per day (UTC)
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    requests_per_day: Option<u64>,
    /// US dollars per month (UTC) for language models
    #[arg(long, value_name = "DOLLARS")]
    model_dollars: Option<f64>,
}

impl Quota {
    fn changed(self, former: TenantQuota) -> TenantQuota {
        TenantQuota {
            memories: self.memories.unwrap_or(former.memories),
            bytes: self.bytes.unwrap_or(former.bytes),
            requests_per_minute: self
                .requests_per_minute
                .unwrap_or(former.requests_per_minute),
            requests_per_day: self.requests_per_day.unwrap_or(former.requests_per_day),
            model_dollars_per_month: self.model_dollars.unwrap_or(former.model_dollars_per_month),
        }
    }
}

impl Tenants {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        if let What::Create { name, quota } = self.what {
            let records = place.store()?.server_records()?;
            let created = records.create_tenant(&name, &quota.changed(TenantQuota::default()))?;
            return said(&created, "created", output);
        }
        let store = place.existing_store()?;
        let records = store.server_records()?;
        records.finish_erasures()?;
        match self.what {
            What::List => list(&records, output),
            What::Show { name } => show(&records, &name, output),
            What::Limit { name, quota } => {
                // Before the name, as with every other value.
                quota.changed(TenantQuota::default()).check()?;
                let former = known(&records, &name)?.quota;
                let changed = records.limit_tenant(&name, &quota.changed(former))?;
                said(&changed, "limited", output)
            }
            What::Suspend { name } => {
                known(&records, &name)?;
                said(&records.suspend_tenant(&name, true)?, "suspended", output)
            }
            What::Resume { name } => {
                known(&records, &name)?;
                said(&records.suspend_tenant(&name, false)?, "resumed", output)
            }
            What::Export { name, output: file } => {
                known(&records, &name)?;
                export(&store, &records, &name, &file, output)
            }
            What::Erase { name, yes } => {
                known(&records, &name)?;
                if !yes && !is_agreed(&records, &name, output)? {
                    output.note("not erased");
                    return Ok(());
                }
                records.erase_tenant(&name)?;
                if output.is_json() {
                    return output.json(&json!({ "erased": name }));
                }
                output.line(format_args!("erased {name}"))
            }
            What::Create { .. } => Ok(()),
        }
    }
}

fn known(records: &ServerRecords, name: &str) -> Result<TenantInfo, Failure> {
    let known = records.tenant(name)?.filter(|tenant| !tenant.erasing);
    known.ok_or_else(|| {
        Failure::not_found(format!("no tenant {name:?}"))
            .hint("list them with `anamne tenants list`")
    })
}

fn said(tenant: &TenantInfo, done: &str, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(tenant);
    }
    output.line(format_args!("{done} {}", tenant.name))
}

fn list(records: &ServerRecords, output: &mut Output) -> Result<(), Failure> {
    let tenants = records.tenants()?;
    if output.is_json() {
        return output.json(&json!({ "tenants": tenants }));
    }
    for tenant in &tenants {
        print(tenant, output)?;
    }
    if tenants.is_empty() {
        output.note("no tenants; create one with `anamne tenants create`");
    }
    Ok(())
}

fn print(tenant: &TenantInfo, output: &mut Output) -> Result<(), Failure> {
    output.line(&tenant.name)?;
    if let Some(at) = tenant.suspended_at {
        let since = format!("suspended {}", output.dates.relative(at));
        output.entry(YELLOW, "state   ", &since)?;
    }
    if tenant.erasing {
        output.entry(RED, "state   ", "being erased")?;
    }
    let used = tenant.used_at.map(|at| output.dates.relative(at));
    let used = used.map_or_else(|| "never used".to_owned(), |at| format!("last used {at}"));
    let today = number(tenant.requests_today);
    output.entry(DIM, "requests", &format!("{today} today, {used}"))
}

fn show(records: &ServerRecords, name: &str, output: &mut Output) -> Result<(), Failure> {
    let tenant = known(records, name)?;
    let usage = records.tenant_usage(name)?;
    if output.is_json() {
        return output.json(&json!({ "tenant": tenant, "usage": usage }));
    }
    print(&tenant, output)?;
    let quota = tenant.quota;
    let of = |used: String, most: u64, words: fn(u64) -> String| match most {
        0 => format!("{used}, no limit"),
        most => format!("{used} of {}", words(most)),
    };
    let told = of(memories(usage.memories), quota.memories, number);
    output.entry(DIM, "memories", &told)?;
    output.entry(DIM, "bytes   ", &of(size(usage.bytes), quota.bytes, size))?;
    let today = tenant.requests_today;
    let today = match quota.requests_per_day {
        0 => format!("{}, no limit", counted(today, "request")),
        most => format!("{} of {} requests", number(today), number(most)),
    };
    output.entry(DIM, "per day ", &today)?;
    let minute = match quota.requests_per_minute {
        0 => "no limit".to_owned(),
        most => format!("at most {most} requests"),
    };
    output.entry(DIM, "per min.", &minute)?;
    let spent = usage.model_dollars_this_month;
    let money = match quota.model_dollars_per_month {
        0.0 => format!("${spent:.2} this month, no limit"),
        most => format!("${spent:.2} of ${most:.2} this month"),
    };
    output.entry(DIM, "models  ", &money)
}

fn export(
    store: &Store,
    records: &ServerRecords,
    name: &str,
    file: &std::path::Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let root = if name == anamne::DEFAULT_TENANT {
        store.root().to_owned()
    } else {
        records.tenant_root(name)?
    };
    let tenant = Store::open_with(Options::new(root))?;
    let exported = tenant.export_binary(file, None, &ExportExtra::ALL)?;
    if output.is_json() {
        output.json(&exported)?;
    } else {
        output.line(format_args!(
            "exported {name}: {} spaces, {}",
            exported.spaces.len(),
            size(exported.bytes)
        ))?;
    }
    if exported.skipped.is_empty() {
        return Ok(());
    }
    output.warn("some spaces could not be exported; see `anamne doctor`");
    Err(Failure::Incomplete)
}

fn is_agreed(records: &ServerRecords, name: &str, output: &Output) -> Result<bool, Failure> {
    if output.is_json() || !std::io::stdin().is_terminal() {
        return Err(
            Failure::refused("yes", "erasing a tenant without a terminal needs --yes")
                .hint("add --yes to confirm"),
        );
    }
    let usage = records.tenant_usage(name)?;
    report(format_args!(
        "Permanently erase {name} with {}, and its keys? Type the name to continue:",
        memories(usage.memories)
    ));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("can't read the answer: {error}")))?;
    Ok(answer.trim() == name)
}
