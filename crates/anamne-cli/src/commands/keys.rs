//! `anamne keys`.

use anamne::{Actor, ActorKind, KeyInfo, KeyRole, NewKey, Rate, Right};
use serde_json::json;

use crate::arguments;
use crate::failure::Failure;
use crate::output::{DIM, GREEN, Output, RED, YELLOW};
use crate::place::Place;
use crate::wording::one_line;

/// Manage the keys of the server
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A key is sent with every request: Authorization: Bearer KEY. Before there is
a key, `anamne serve` answers programs of this machine only, without one; from
the first key on, every request needs one. A running server notices new and
revoked keys at once.

Roles: reader only reads; reviewer also vouches for content; admin has every
right, and manages keys and tenants. The others read and write. A recall with
the key is ranked for its role.

A space named ~NAME or ~NAME.anything is private to the principal NAME: other
keys reach it only if --spaces lists it. A space that is deleted leaves the keys
that list it; a key that lists no other is revoked.

Examples:
  anamne keys create laptop --all-spaces
  anamne keys create ada --spaces atlas,core --role reviewer --expires 90d
  anamne keys create bot --agent --all-spaces --rate 10/s --tenant acme
  anamne keys create operator --role admin
  anamne keys list
  anamne keys revoke 3f9c2a7714be0d58

With --json: create {\"key\", \"listed\": {..}}, list {\"keys\": [..]}, revoke: as
  listed: {\"id\", \"name\", \"tenant\", \"grant\": {\"principal\", \"role\", \"spaces\"?,
  \"read_only\", \"rights\", \"admin\", \"rate\"?}, \"created_at\", \"expires_at\"?,
  \"revoked_at\"?, \"used_at\"?, \"lost_spaces\"?: [{\"space\", \"at\"}]}")]
pub(crate) struct Keys {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Create(Box<Create>),
    /// List keys, without their secrets
    List {
        /// Only keys of this tenant
        #[arg(long, value_name = "NAME")]
        tenant: Option<String>,
    },
    /// Revoke a key, at once in every running server
    Revoke {
        /// The key's id
        id: String,
    },
}

/// Create a key and print it once
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(group = clap::ArgGroup::new("reach").args(["spaces", "all_spaces"]))]
struct Create {
    /// Its name, for people
    name: String,
    /// Its tenant
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Its preset of rights
    #[arg(long, default_value = "developer", value_name = "ROLE", value_parser = arguments::key_role())]
    role: KeyRole,
    /// Who uses it: the actor in the log; the key's name by default
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// The principal is an agent, not a person
    #[arg(long)]
    agent: bool,
    /// The only spaces that it reaches, comma-separated
    #[arg(long, value_name = "SPACES", value_delimiter = ',')]
    spaces: Option<Vec<String>>,
    /// It reaches all shared spaces, and those private to its principal
    #[arg(long)]
    all_spaces: bool,
    /// It only reads
    #[arg(long)]
    read_only: bool,
    /// It may permanently erase
    #[arg(long)]
    erase: bool,
    /// It may change settings, rebuild, back up and manage background work
    #[arg(long)]
    configure: bool,
    /// It may vouch for content
    #[arg(long)]
    trust: bool,
    /// It manages keys and tenants
    #[arg(long)]
    admin: bool,
    /// When it expires: 90d
    #[arg(long, value_name = "DAYS", value_parser = days)]
    expires: Option<u32>,
    /// Its rate: 10/s, 600/m, 1000/h
    #[arg(long, value_name = "RATE")]
    rate: Option<Rate>,
}

fn days(text: &str) -> Result<u32, String> {
    let count = text.strip_suffix('d').unwrap_or(text);
    count
        .parse()
        .map_err(|_| "expected a number of days, such as 90d".to_owned())
}

impl Create {
    /// The key as asked for. One that reaches no space has to manage the server.
    fn wanted(self) -> Result<NewKey, Failure> {
        let reaches_none = self.spaces.is_none() && !self.all_spaces;
        if reaches_none && !self.admin && self.role != KeyRole::Admin {
            return Err(Failure::refused("spaces", "the key would reach no space").hint(
                "name its spaces with --spaces NAME,NAME, or let it reach all with --all-spaces",
            ));
        }
        let kind = if self.agent {
            ActorKind::Agent
        } else {
            ActorKind::User
        };
        let given = [
            (self.erase, Right::Erase),
            (self.configure, Right::Configure),
            (self.trust, Right::Trust),
        ];
        let rights = given.into_iter().filter(|(is_given, _)| *is_given);
        Ok(NewKey {
            principal: Some(Actor {
                kind,
                name: self.principal.unwrap_or_else(|| self.name.clone()),
            }),
            name: self.name,
            tenant: self.tenant,
            role: Some(self.role),
            spaces: self.spaces,
            all_spaces: self.all_spaces,
            read_only: self.read_only,
            rights: rights.map(|(_, right)| right).collect(),
            admin: self.admin,
            expires_days: self.expires,
            rate: self.rate,
        })
    }
}

impl Keys {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.what {
            What::Create(create) => {
                let records = place.store()?.server_records()?;
                let created = records.create_key(&create.wanted()?)?;
                if output.is_json() {
                    return output.json(&created);
                }
                output.line(&created.key)?;
                output.flush()?;
                output.note("this is the only time that the key is shown");
                Ok(())
            }
            What::List { tenant } => {
                let records = place.existing_store()?.server_records()?;
                let keys = records.keys(tenant.as_deref())?;
                if output.is_json() {
                    return output.json(&json!({ "keys": keys }));
                }
                for key in &keys {
                    print(key, output)?;
                }
                if keys.is_empty() {
                    output.note("no keys; create one with `anamne keys create`");
                }
                Ok(())
            }
            What::Revoke { id } => {
                let records = place.existing_store()?.server_records()?;
                let revoked = records.revoke_key(&id)?;
                let revoked = revoked.ok_or_else(|| {
                    Failure::not_found(format!("no key {id:?}"))
                        .hint("list them with `anamne keys list`")
                })?;
                if output.is_json() {
                    return output.json(&revoked);
                }
                output.line(format_args!(
                    "revoked {} ({})",
                    revoked.id,
                    one_line(&revoked.name)
                ))
            }
        }
    }
}

fn print(key: &KeyInfo, output: &mut Output) -> Result<(), Failure> {
    let now = output.dates.now;
    let (style, state) = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => (RED, format!("revoked {}", output.dates.relative(at))),
        (_, Some(at)) if at <= now => (RED, format!("expired {}", output.dates.relative(at))),
        (_, Some(at)) => (YELLOW, format!("expires {}", output.dates.relative(at))),
        _ => (GREEN, "valid".to_owned()),
    };
    output.line(format_args!(
        "{}  {}  {}, {}",
        key.id,
        one_line(&key.name),
        key.tenant,
        key.grant.role
    ))?;
    output.entry(style, "state ", &state)?;
    output.entry(DIM, "allows", &allowed(key))?;
    for lost in &key.lost_spaces {
        let deleted = output.dates.relative(lost.at);
        let lost = format!("{}, deleted {deleted}", one_line(&lost.space));
        output.entry(DIM, "lost  ", &lost)?;
    }
    let used = key.used_at.map(|at| output.dates.relative(at));
    let created = output.dates.relative(key.created_at);
    let used = used.map_or_else(|| "never used".to_owned(), |at| format!("last used {at}"));
    output.entry(DIM, "seen  ", &format!("created {created}, {used}"))
}

fn allowed(key: &KeyInfo) -> String {
    let grant = &key.grant;
    let mut said = vec![match &grant.spaces {
        None => "all shared spaces".to_owned(),
        Some(names) if names.is_empty() => "no space".to_owned(),
        Some(names) => names.join(", "),
    }];
    said.push(
        if grant.read_only {
            "read"
        } else {
            "read, write"
        }
        .to_owned(),
    );
    said.extend(grant.rights.iter().map(ToString::to_string));
    if grant.admin {
        said.push("administer".to_owned());
    }
    said.extend(grant.rate.map(|rate| rate.to_string()));
    format!("{} as {}", said.join("; "), grant.principal.name)
}
