/// The stages of a migration from callbacks to async/await.
enum Stage: Int, CaseIterable, Sendable {
    case callbacks = 1, futures, awaited, structured

    var title: String {
        switch self {
        case .callbacks: "Stage 1, callbacks"
        case .futures: "Stage 2, futures"
        case .awaited: "Stage 3, await"
        case .structured: "Stage 4, structured"
        }
    }
}

/// The stage that each function of the job is in.
struct Stages: Sendable {
    var counts: Stage
    var checksum: Stage
    var row: Stage
    var rows: Stage

    /// All functions are in one stage: before a step of the migration, or after it.
    init(all stage: Stage) {
        (counts, checksum, row, rows) = (stage, stage, stage, stage)
    }

    /// Every function is in a stage of its own, as in the middle of a migration.
    ///
    /// The same seed gives the same stages everywhere. The functions take one number each from the generator, in the
    /// order of their declaration; its two highest bits are the stage.
    init(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        func draw() -> Stage { Stage.allCases[Int(generator.next() >> 62)] }
        (counts, checksum, row, rows) = (draw(), draw(), draw(), draw())
    }
}

extension Stages: CustomStringConvertible {
    var description: String {
        """
        counts: stage \(counts.rawValue), checksum: stage \(checksum.rawValue), \
        row: stage \(row.rawValue), rows: stage \(rows.rawValue)
        """
    }
}
