//! The strip of recent votes of one network: latency above a base line, what did not succeed hangs below it.

use askama::Template;
use shared::outcome::{Class, Counted};
use shared::sorting::sort_by_key;

use crate::pages::format;

/// Columns of one pane; panes wrap to the next row on a narrow screen.
const PANE_COLUMNS: u32 = 30;
/// Panes at most.
const PANES: u32 = 3;
/// Units from one column to the next.
const PITCH: u32 = 8;
/// The tallest column, in units.
const TALLEST: u32 = 36;
/// Where columns stand.
const FLOOR: u32 = 40;
/// Ends of the latency axis, in milliseconds: the first that holds every column is taken.
const SCALES: [u32; 14] =
    [100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000];

/// One vote, as far as the strip shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Whole minutes since the epoch.
    pub(crate) slot: u32,
    pub(crate) class: Class,
    pub(crate) latency_ms: Option<u32>,
}

/// What all strips of one page share, so that they can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Minutes of one column.
    pub(crate) column_minutes: u32,
    /// The slot of the rightmost column.
    last: u32,
    /// Columns drawn, a whole number of panes.
    columns: u32,
    /// The top of the latency axis, in milliseconds; None where no vote has a latency.
    pub(crate) scale_ms: Option<u32>,
}

impl Frame {
    /// A frame that holds the points of every network, or None where there are none. `interval` is the number of
    /// minutes between slots now, `now` the minute of the page.
    pub(crate) fn around(networks: &[Vec<Point>], interval: u32, now: u32) -> Option<Self> {
        let points = || networks.iter().flatten();
        let newest = points().map(|point| point.slot).max()?;
        let overdue =
            now.saturating_sub(shared::methodology::LATEST_START_INTERVALS.saturating_mul(interval));
        let last = newest.max(overdue);
        let narrowest = networks.iter().filter_map(|points| narrowest_gap(points)).min();
        let column_minutes = narrowest.unwrap_or(interval).clamp(1, interval.max(1));
        let widest = PANE_COLUMNS * PANES;
        let needed = points()
            .map(|point| (last.saturating_sub(point.slot) / column_minutes).saturating_add(1))
            .filter(|columns| *columns <= widest)
            .max()?;
        let slowest = points().filter_map(|point| point.latency_ms).max();
        let scale_ms =
            slowest.map(|slowest| SCALES.into_iter().find(|scale| *scale >= slowest).unwrap_or(slowest));
        let columns = needed.div_ceil(PANE_COLUMNS) * PANE_COLUMNS;
        Some(Self { column_minutes, last, columns, scale_ms })
    }

    /// The slot of column `index`, counted from the left.
    const fn slot(&self, index: u32) -> u32 {
        self.last.saturating_sub((self.columns - 1 - index) * self.column_minutes)
    }

    /// The column a slot falls in, if it is drawn.
    const fn column(&self, slot: u32) -> Option<u32> {
        let back = self.last.saturating_sub(slot).div_ceil(self.column_minutes);
        if slot > self.last || back >= self.columns { None } else { Some(self.columns - 1 - back) }
    }
}

/// The smallest distance between two different slots: columns that wide never hold two votes of one network.
fn narrowest_gap(points: &[Point]) -> Option<u32> {
    let mut slots: Vec<u32> = points.iter().map(|point| point.slot).collect();
    sort_by_key(&mut slots, |slot| *slot);
    slots.dedup();
    slots.iter().zip(slots.iter().skip(1)).map(|(left, right)| right - left).min()
}

/// One network's strip, ready to be shown.
#[derive(Debug, Template)]
#[template(path = "votes.svg")]
pub(crate) struct Strip<'a> {
    network: &'a str,
    panes: Vec<Pane>,
}

#[derive(Debug)]
struct Pane {
    from: String,
    to: String,
    /// What the pane shows, in words.
    summary: String,
    bars: Vec<Bar>,
}

/// One column: what stands above the base line, what hangs below it, and the same in words.
#[derive(Debug)]
struct Bar {
    words: String,
    above: Option<(&'static str, String)>,
    below: Option<(&'static str, String)>,
}

impl<'a> Strip<'a> {
    /// Draws one network's votes in the frame.
    pub(crate) fn new(network: &'a str, points: &[Point], frame: &Frame) -> Self {
        let panes = (0..frame.columns / PANE_COLUMNS)
            .map(|pane| Pane::new(points, frame, pane * PANE_COLUMNS))
            .collect();
        Self { network, panes }
    }
}

impl Pane {
    fn new(points: &[Point], frame: &Frame, first: u32) -> Self {
        let last = first + PANE_COLUMNS - 1;
        let mut inside: Vec<(u32, &Point)> = points
            .iter()
            .filter_map(|point| frame.column(point.slot).map(|column| (column, point)))
            .filter(|(column, _)| (first..=last).contains(column))
            .collect();
        sort_by_key(&mut inside, |(column, _)| *column);
        let bars = inside.iter().map(|(column, point)| Bar::new(point, column - first, frame)).collect();
        let time = |index| format::minute(i64::from(frame.slot(index)) * 60);
        Self { from: time(first), to: time(last), summary: summary(&inside), bars }
    }
}

/// `27 votes: 25 succeeded, 1 did not, 1 is no evidence`.
fn summary(inside: &[(u32, &Point)]) -> String {
    let of = |kind| inside.iter().filter(|(_, point)| point.class.counted() == kind).count() as u64;
    let (succeeded, failed, none) = (of(Counted::Success), of(Counted::Failure), of(Counted::None));
    if inside.is_empty() {
        return "no votes".to_owned();
    }
    let votes = format::counted(inside.len() as u64, "vote", "votes");
    if failed + none == 0 {
        return format!("{votes}, all succeeded");
    }
    let mut words =
        format!("{votes}: {} succeeded, {} did not", format::number(succeeded), format::number(failed));
    if none > 0 {
        words.push_str(&format!(", {} without evidence", format::number(none)));
    }
    words
}

impl Bar {
    fn new(point: &Point, column: u32, frame: &Frame) -> Self {
        let x = column * PITCH;
        let height = point.latency_ms.map_or(1, |latency| {
            let share =
                u64::from(latency) * u64::from(TALLEST) / u64::from(frame.scale_ms.unwrap_or(latency).max(1));
            u32::try_from(share).unwrap_or(TALLEST).clamp(1, TALLEST)
        });
        let standing = ("f-ok", format!("M{x} {}h6v{height}h-6z", FLOOR - height));
        let (above, below) = match point.class.counted() {
            Counted::Success if matches!(point.class, Class::Degraded) => {
                (Some(standing), Some(("f-warn", format!("M{x} 42h6v3h-6z"))))
            }
            Counted::Success => (Some(standing), None),
            Counted::Failure => (None, Some(("f-bad", format!("M{x} 42h7v14h-7z")))),
            Counted::None => (None, Some(("f-soft", format!("M{} 42h2v7h-2z", x + 2)))),
        };
        let time = format::minute(i64::from(point.slot) * 60);
        let words = match point.latency_ms {
            Some(latency) => format!("{time}: {}, {}", point.class.label(), format::milliseconds(latency)),
            None => format!("{time}: {}", point.class.label()),
        };
        Self { words, above, below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(slot: u32, class: Class, latency_ms: Option<u32>) -> Point {
        Point { slot, class, latency_ms }
    }

    #[test]
    fn a_missing_vote_leaves_its_column_empty() {
        let points = [
            point(1_000, Class::Up, Some(400)),
            point(1_005, Class::Up, Some(500)),
            point(1_015, Class::Timeout, None),
        ];
        let frame = Frame::around(&[points.to_vec()], 5, 1_016).unwrap();
        assert_eq!((frame.column_minutes, frame.columns, frame.scale_ms), (5, 30, Some(500)));
        let columns: Vec<_> = points.iter().map(|point| frame.column(point.slot)).collect();
        assert_eq!(columns, [Some(26), Some(27), Some(29)]);
    }

    #[test]
    fn silence_moves_the_frame_on_and_shows_as_a_gap() {
        let points = [point(1_000, Class::Up, Some(400))];
        let frame = Frame::around(&[points.to_vec()], 5, 1_100).unwrap();
        assert_eq!(frame.column(1_000), Some(frame.columns - 1 - 90 / 5));
        assert_eq!(Frame::around(&[points.to_vec()], 5, 100_000), None, "all votes are older than the strip");
        assert_eq!(Frame::around(&[Vec::new()], 5, 1_000), None);
    }

    #[test]
    fn votes_of_one_network_never_share_a_column_after_a_change_of_interval() {
        let points: Vec<_> =
            [900, 930, 960, 965, 970].into_iter().map(|slot| point(slot, Class::Up, Some(10))).collect();
        for interval in [5, 30] {
            let frame = Frame::around(&[points.to_vec()], interval, 971).unwrap();
            let mut columns: Vec<_> = points.iter().map(|point| frame.column(point.slot).unwrap()).collect();
            columns.dedup();
            assert_eq!(columns.len(), points.len());
        }
    }

    #[test]
    fn geometry_stays_inside_the_pane_whatever_the_latency() {
        for latency in [0, 1, 499, 20_000, 60_001, u32::MAX] {
            let points = [point(0, Class::Up, Some(latency)), point(u32::MAX, Class::Up, Some(1))];
            for now in [0, u32::MAX] {
                let Some(frame) = Frame::around(&[points.to_vec()], 5, now) else { continue };
                for bar in points.iter().map(|point| Bar::new(point, 0, &frame)) {
                    let path = bar.above.unwrap().1;
                    let top: u32 = path.split([' ', 'h']).nth(1).unwrap().parse().unwrap();
                    assert!((FLOOR - TALLEST..FLOOR).contains(&top), "{path}");
                }
            }
        }
    }

    #[test]
    fn every_bar_differs_in_shape_as_well_as_colour() {
        let frame = Frame { column_minutes: 5, last: 100, columns: 30, scale_ms: Some(1_000) };
        let shape = |class| {
            let bar = Bar::new(&point(100, class, Some(500)), 0, &frame);
            (bar.above.map(|part| part.1), bar.below.map(|part| part.1))
        };
        let shapes = [Class::Up, Class::Degraded, Class::Timeout, Class::RateLimited].map(shape);
        for (index, one) in shapes.iter().enumerate() {
            assert!(shapes.iter().skip(index + 1).all(|other| other != one));
        }
    }
}
