//! Published measurements on Apple GPUs: what a model must reproduce.

use std::sync::LazyLock;

use crate::fact::Confidence;

const MEASURED: &str = include_str!("../data/measured.csv");

/// One published measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Stable name: the family and a number, `gemm-119`.
    pub id: &'static str,
    /// Kind of kernel: `gemm`, `llm-decode`.
    pub family: &'static str,
    /// What was run, and how.
    pub description: String,
    /// The chip as the source names it: `M4 Max`.
    pub chip: &'static str,
    /// GPU cores, as far as the source says.
    pub gpu_cores: &'static str,
    /// What was measured: `time`, `compute_rate`, `bandwidth`, ….
    pub metric: &'static str,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Where it was published.
    pub source: String,
    /// By whom, and whether it was read there or elsewhere.
    pub confidence: Confidence,
    /// When, as far as the source says.
    pub date: &'static str,
}

static ROWS: LazyLock<Vec<Measurement>> = LazyLock::new(|| {
    // Part of this crate, and parsed by its tests.
    parse(MEASURED).expect("the embedded table of measurements parses")
});

impl Measurement {
    /// All rows, in the order of the data file.
    pub fn all() -> &'static [Self] {
        &ROWS
    }

    /// The row of an id.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|row| row.id == id)
    }

    /// The highest value of a family and metric on a chip (`Apple M4 Max` and `M4 Max` are one).
    pub fn best(chip: &str, gpu_cores: u32, family: &str, metric: &str) -> Option<&'static Self> {
        let chip = chip.strip_prefix("Apple ").unwrap_or(chip);
        let cores = gpu_cores.to_string();
        Self::all()
            .iter()
            .filter(|row| {
                row.chip == chip && row.gpu_cores == cores && row.family == family && row.metric == metric
            })
            .max_by(|a, b| a.value.total_cmp(&b.value))
    }
}

fn parse(text: &'static str) -> Result<Vec<Measurement>, String> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let wrong = |what: &str| format!("line {}: {what}", index + 1);
        let fields = split(line).ok_or_else(|| wrong("an unclosed quotation mark"))?;
        let [id, family, description, chip, gpu_cores, metric, value, unit, source, confidence, date] =
            fields.as_slice()
        else {
            return Err(wrong("not eleven fields"));
        };
        rows.push(Measurement {
            id,
            family,
            description: description.replace("\"\"", "\""),
            chip,
            gpu_cores,
            metric,
            value: value.parse().map_err(|_| wrong("the value is no number"))?,
            unit,
            source: source.replace("\"\"", "\""),
            confidence: Confidence::parse(confidence).ok_or_else(|| wrong("unknown confidence"))?,
            date,
        });
    }
    Ok(rows)
}

/// The fields of a CSV line; a quoted field may hold commas, and quotation marks twice.
fn split(line: &'static str) -> Option<Vec<&'static str>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = quoted.find('"')?;
            while quoted[end + 1..].starts_with('"') {
                end += 2 + quoted[end + 2..].find('"')?;
            }
            (&quoted[..end], &quoted[end + 1..])
        } else {
            rest.split_at(rest.find(',').unwrap_or(rest.len()))
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return after.is_empty().then_some(fields),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, split};

    #[test]
    fn quoted_fields_hold_commas_and_quotation_marks() {
        assert_eq!(split("a,b"), Some(vec!["a", "b"]));
        assert_eq!(split("a,\"b, c\",d"), Some(vec!["a", "b, c", "d"]));
        assert_eq!(split("\"say \"\"x\"\"\",b"), Some(vec!["say \"\"x\"\"", "b"]));
        assert_eq!(split(",,"), Some(vec!["", "", ""]));
        assert_eq!(split("\"open,b"), None);
        assert_eq!(split("\"a\"b,c"), None);
    }

    #[test]
    fn rows_that_lack_something_are_refused() {
        let row = |text| parse(text).map(|rows| rows.len());
        assert_eq!(row("head\na-1,a,what,M1,8,time,1.5,ms,there,measured by x,2026"), Ok(1));
        assert_eq!(
            row("head\na-1,a,what,M1,8,time,fast,ms,there,measured by x,2026"),
            Err("line 2: the value is no number".to_owned())
        );
        assert_eq!(
            row("head\na-1,a,what,M1,8,time,1.5,ms,there,sure,2026"),
            Err("line 2: unknown confidence".to_owned())
        );
        assert_eq!(row("head\na-1,a"), Err("line 2: not eleven fields".to_owned()));
    }
}
