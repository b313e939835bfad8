//! Where spans go, and which: from the environment variables of OpenTelemetry, which the caller hands in.

use std::ffi::OsString;
use std::time::Duration;

use anamne_net::{Address, Header};
use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::TelemetryResourceDetector;
use opentelemetry_sdk::trace::Sampler;

use crate::http::origin::decoded;

/// Longest time that a request to the collector may take, in milliseconds.
const LONGEST_TIMEOUT: u64 = 60_000;

/// Longest time that spans may wait for others, in milliseconds.
const LONGEST_DELAY: u64 = 600_000;

/// Most spans of a queue.
const LARGEST_QUEUE: u64 = 1 << 20;

/// Variables of what is not implemented. Ignoring them would send spans in another way than the operator wants.
const UNKNOWN: [&str; 6] = [
    "OTEL_EXPORTER_OTLP_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_CLIENT_KEY",
    "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY",
    "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE",
];

/// Headers that the request to the collector has anyway.
const OWN_HEADERS: [&str; 6] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

/// A variable that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {reason}")]
pub struct TraceSettingsError {
    /// The variable.
    pub variable: &'static str,
    /// The problem, and what is accepted. Doesn't contain the value of a header.
    pub reason: String,
}

/// Where spans go, and which. `Debug` shows no value of a header.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    pub(super) endpoint: Address,
    /// Follows the endpoint.
    pub(super) path: &'static str,
    pub(super) headers: Vec<Header>,
    /// Describes this server.
    pub(super) resource: Resource,
    pub(super) sampler: Sampler,
    /// For a request to the collector.
    pub(super) timeout: Duration,
    /// Most spans that wait.
    pub(super) queue: usize,
    /// How long spans wait for others.
    pub(super) delay: Duration,
}

impl TraceSettings {
    /// Reads the environment variables of OpenTelemetry through `variable`. `None` if there is no endpoint, or it is
    /// turned off by `OTEL_SDK_DISABLED=true` or `OTEL_TRACES_EXPORTER=none`. An empty variable is like none.
    ///
    /// | variable | accepted | default |
    /// |---|---|---|
    /// | `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` | a URL: https, or http on this machine | the next one |
    /// | `OTEL_EXPORTER_OTLP_ENDPOINT` | such a URL, to which `/v1/traces` is added | none |
    /// | `OTEL_EXPORTER_OTLP_TRACES_HEADERS`, `OTEL_EXPORTER_OTLP_HEADERS` | `name=value`, comma-separated, values percent-encoded | none |
    /// | `OTEL_EXPORTER_OTLP_TRACES_TIMEOUT`, `OTEL_EXPORTER_OTLP_TIMEOUT` | 1 to 60000 ms | 10000 |
    /// | `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL`, `OTEL_EXPORTER_OTLP_PROTOCOL` | `http/protobuf` | `http/protobuf` |
    /// | `OTEL_EXPORTER_OTLP_TRACES_COMPRESSION`, `OTEL_EXPORTER_OTLP_COMPRESSION` | `none` | `none` |
    /// | `OTEL_TRACES_SAMPLER` | `always_on`, `always_off`, `traceidratio`, each also with `parentbased_` before it | `parentbased_always_on` |
    /// | `OTEL_TRACES_SAMPLER_ARG` | 0 to 1, for `traceidratio` | 1 |
    /// | `OTEL_SERVICE_NAME` | a name | `anamne` |
    /// | `OTEL_RESOURCE_ATTRIBUTES` | like headers | none |
    /// | `OTEL_BSP_MAX_QUEUE_SIZE` | 1 to 1048576 spans | 2048 |
    /// | `OTEL_BSP_SCHEDULE_DELAY` | 1 to 600000 ms | 5000 |
    /// | `OTEL_TRACES_EXPORTER` | `otlp`, `none` | `otlp` |
    /// | `OTEL_SDK_DISABLED` | `true`, `false` | `false` |
    ///
    /// [`TraceSettingsError`] for anything else, if there is an endpoint, and for certificates.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<Self>, TraceSettingsError> {
        let variables = Variables(&variable);
        let Some((endpoint, path)) = variables.endpoint()? else {
            return Ok(None);
        };
        if variables.one_of("OTEL_SDK_DISABLED", &["false", "true"])? == "true"
            || variables.one_of("OTEL_TRACES_EXPORTER", &["otlp", "none"])? == "none"
        {
            return Ok(None);
        }
        variables.check_transport()?;
        Ok(Some(Self {
            endpoint,
            path,
            headers: variables.headers()?,
            resource: variables.resource()?,
            sampler: variables.sampler()?,
            timeout: Duration::from_millis(variables.number(
                variables.specific(
                    "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
                    "OTEL_EXPORTER_OTLP_TIMEOUT",
                ),
                LONGEST_TIMEOUT,
                10_000,
            )?),
            queue: variables.number("OTEL_BSP_MAX_QUEUE_SIZE", LARGEST_QUEUE, 2_048)? as usize,
            delay: Duration::from_millis(variables.number(
                "OTEL_BSP_SCHEDULE_DELAY",
                LONGEST_DELAY,
                5_000,
            )?),
        }))
    }

    /// Scheme, host and port that spans go to.
    pub fn origin(&self) -> &str {
        self.endpoint.origin()
    }
}

/// The variables, as their caller knows them.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<OsString>);

fn refused(variable: &'static str, reason: impl Into<String>) -> TraceSettingsError {
    TraceSettingsError {
        variable,
        reason: reason.into(),
    }
}

impl Variables<'_> {
    /// The value without white space around it; `None` if it is missing or empty.
    fn text(&self, variable: &'static str) -> Result<Option<String>, TraceSettingsError> {
        let Some(value) = (self.0)(variable) else {
            return Ok(None);
        };
        let value = value
            .into_string()
            .map_err(|_| refused(variable, "is not UTF-8"))?;
        let value = value.trim();
        Ok((!value.is_empty()).then(|| value.to_owned()))
    }

    /// The variable of traces if it is set, else the one of all signals.
    fn specific(&self, of_traces: &'static str, of_all: &'static str) -> &'static str {
        let is_set = |value: OsString| !value.to_string_lossy().trim().is_empty();
        if (self.0)(of_traces).is_some_and(is_set) {
            of_traces
        } else {
            of_all
        }
    }

    fn endpoint(&self) -> Result<Option<(Address, &'static str)>, TraceSettingsError> {
        let of_traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
        let variable = self.specific(of_traces, "OTEL_EXPORTER_OTLP_ENDPOINT");
        let Some(url) = self.text(variable)? else {
            return Ok(None);
        };
        let address = Address::parse(&url)
            .map_err(|error| refused(variable, format!("can't be used: {error}")))?;
        // The address has no slash at its end.
        let path = if variable != of_traces {
            "/v1/traces"
        } else if url.ends_with('/') {
            "/"
        } else {
            ""
        };
        Ok(Some((address, path)))
    }

    /// Refuses ways of sending that are not implemented.
    fn check_transport(&self) -> Result<(), TraceSettingsError> {
        for [of_traces, of_all, only] in [
            [
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "http/protobuf",
            ],
            [
                "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
                "OTEL_EXPORTER_OTLP_COMPRESSION",
                "none",
            ],
        ] {
            self.one_of(self.specific(of_traces, of_all), &[only])?;
        }
        for variable in UNKNOWN {
            if self.text(variable)?.is_some() {
                return Err(refused(
                    variable,
                    "is not supported: the collector needs a certificate of a public authority, or must be on this machine",
                ));
            }
        }
        Ok(())
    }

    /// One of the accepted values; the first one is the default.
    fn one_of(
        &self,
        variable: &'static str,
        accepted: &[&'static str],
    ) -> Result<&'static str, TraceSettingsError> {
        let Some(given) = self.text(variable)? else {
            return Ok(accepted[0]);
        };
        let known = accepted
            .iter()
            .find(|known| known.eq_ignore_ascii_case(&given));
        known.copied().ok_or_else(|| {
            refused(
                variable,
                format!("is {given:?}; accepted: {}", accepted.join(", ")),
            )
        })
    }

    fn number(
        &self,
        variable: &'static str,
        most: u64,
        default: u64,
    ) -> Result<u64, TraceSettingsError> {
        let Some(given) = self.text(variable)? else {
            return Ok(default);
        };
        let number = given
            .parse()
            .ok()
            .filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| refused(variable, format!("is {given:?}; accepted: 1 to {most}")))
    }

    /// `name=value` pairs, comma-separated, with percent-decoded values.
    fn pairs(&self, variable: &'static str) -> Result<Vec<(String, String)>, TraceSettingsError> {
        let text = self.text(variable)?.unwrap_or_default();
        let pairs = text
            .split(',')
            .map(str::trim)
            .filter(|pair| !pair.is_empty());
        pairs
            .enumerate()
            .map(|(place, pair)| {
                let (name, value) = pair.split_once('=').unwrap_or_default();
                let (name, value) = (name.trim(), value.trim());
                if name.is_empty() {
                    let reason = format!(
                        "must be name=value, comma-separated; part {} is not",
                        place + 1
                    );
                    return Err(refused(variable, reason));
                }
                Ok((name.to_owned(), decoded(value)))
            })
            .collect()
    }

    fn headers(&self) -> Result<Vec<Header>, TraceSettingsError> {
        let variable = self.specific(
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
        );
        let headers = self.pairs(variable)?.into_iter().enumerate();
        headers
            .map(|(place, (name, value))| {
                let name = name.to_ascii_lowercase();
                if OWN_HEADERS.contains(&&*name) {
                    return Err(refused(variable, format!("can't set the header {name}")));
                }
                // Neither is shown: somebody may have mixed them up.
                let invalid = || format!("has an invalid name or value in part {}", place + 1);
                Header::secret(&name, &value).ok_or_else(|| refused(variable, invalid()))
            })
            .collect()
    }

    fn resource(&self) -> Result<Resource, TraceSettingsError> {
        let given = self.pairs("OTEL_RESOURCE_ATTRIBUTES")?;
        let given = given
            .into_iter()
            .map(|(name, value)| KeyValue::new(name, value));
        let mut resource = Resource::builder_empty()
            .with_detector(Box::new(TelemetryResourceDetector))
            .with_attribute(KeyValue::new("service.name", "anamne"))
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attributes(given);
        if let Some(name) = self.text("OTEL_SERVICE_NAME")? {
            resource = resource.with_attribute(KeyValue::new("service.name", name));
        }
        Ok(resource.build())
    }

    fn sampler(&self) -> Result<Sampler, TraceSettingsError> {
        let accepted = [
            "parentbased_always_on",
            "parentbased_always_off",
            "parentbased_traceidratio",
            "always_on",
            "always_off",
            "traceidratio",
        ];
        let name = self.one_of("OTEL_TRACES_SAMPLER", &accepted)?;
        let own = name.strip_prefix("parentbased_");
        let sampler = match own.unwrap_or(name) {
            "always_on" => Sampler::AlwaysOn,
            "always_off" => Sampler::AlwaysOff,
            _ => Sampler::TraceIdRatioBased(self.ratio()?),
        };
        Ok(match own {
            Some(_) => Sampler::ParentBased(Box::new(sampler)),
            None => sampler,
        })
    }

    fn ratio(&self) -> Result<f64, TraceSettingsError> {
        let variable = "OTEL_TRACES_SAMPLER_ARG";
        let Some(given) = self.text(variable)? else {
            return Ok(1.0);
        };
        let ratio = given
            .parse()
            .ok()
            .filter(|ratio| (0.0..=1.0).contains(ratio));
        ratio.ok_or_else(|| refused(variable, format!("is {given:?}; accepted: 0 to 1")))
    }
}
