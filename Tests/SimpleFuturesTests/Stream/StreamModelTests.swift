import Testing

@testable import SimpleFutures
@testable import TestSupport

// Random operations against simple models. A failure prints its seed: to reproduce it, put the seed into `seeds`.

private let seeds: [UInt64] = (0..<UInt64(Stress.rounds(40))).map { $0 &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

@Suite("Streams against a model", .watchdog)
struct StreamModelTests {
    @Test func `the log keeps elements that a subscriber needs and releases the others in order`() throws {
        for seed in seeds {
            var dice = Random(seed: seed)
            // The log does not return values that need no destruction.
            let areTrivial = dice.below(2) == 0
            var model = LogModel(capacity: [0, 1, 3, 300, .max][dice.below(5)])
            var log = StreamLog(capacity: model.capacity)
            var readers: [StreamPosition] = []
            for _ in 0..<300 {
                switch dice.below(10) {
                case 0...4:
                    for _ in 0...dice.below(30) {
                        model.append()
                        let signal = dice.below(areTrivial ? 20 : 2) == 0 ? StreamSignal.failure : .success
                        log.append(signal) { $0.storeBytes(of: model.end - 1, as: Int.self) }
                    }
                case 5:
                    readers.append(log.join())
                    model.readers.append(model.history)
                case 6...7 where !readers.isEmpty:
                    let reader = dice.below(readers.count)
                    guard model.readers[reader] < model.end else { continue }
                    let slot = log.slot(at: &readers[reader])
                    try check(slot.pointee.payload.words.0 == UInt(model.readers[reader]), "the next element", seed)
                    let most = log.run(from: readers[reader])
                    try check(most >= 1 && model.readers[reader] + most <= model.end, "a stretch", seed)
                    let count = 1 + dice.below(most)
                    log.advance(&readers[reader], by: count)
                    model.readers[reader] += count
                case 8 where !readers.isEmpty:
                    let reader = dice.below(readers.count)
                    var position = readers.remove(at: reader)
                    model.readers.remove(at: reader)
                    log.leave(&position)
                case 9 where dice.below(20) == 0:
                    log.forgetHistory()
                    model.forgetHistory()
                default: break
                }
                while let elements = log.popUnneeded(areTrivial: areTrivial) {
                    for slot in elements.all {
                        if areTrivial { model.start = Int(slot.payload.words.0) }
                        try check(slot.payload.words.0 == UInt(model.start), "the oldest goes first", seed)
                        try check(!areTrivial || slot.signal == .failure, "values go without a word", seed)
                        model.start += 1
                    }
                }
                try check(log.popUnneeded(areTrivial: areTrivial) == nil, "nothing is left for later", seed)
                if areTrivial { model.start = model.needed }
                try check(model.start == model.needed, "exactly the unneeded elements are released", seed)
                try check(log.count == model.end - model.history, "the length of the history", seed)
                var index = model.history
                log.forEach { event in
                    if event.raw().load(as: Int.self) != index { index = -1_000_000 }
                    index += 1
                }
                try check(index == model.end, "the history", seed)
                for (reader, place) in zip(readers, model.readers) {
                    try check(log.isAtEnd(reader) == (place == model.end), "who has caught up", seed)
                }
            }
            var rest = 0
            while let elements = log.popAny() { rest += elements.all.count }
            try check(rest == model.end - model.start, "what is left", seed)
        }
    }

    private func check(_ condition: Bool, _ what: String, _ seed: UInt64) throws {
        try verify(condition, "\(what), with the seed \(seed)")
    }
}

/// A model of the log: positions in an endless sequence.
private struct LogModel {
    var capacity: Int
    var start = 0
    var end = 0
    var history = 0
    var readers: [Int] = []

    init(capacity: Int) { self.capacity = capacity }

    /// The oldest element that is needed.
    var needed: Int { min(history, readers.min() ?? history) }

    mutating func append() {
        end += 1
        if end - history > capacity { history += 1 }
    }

    mutating func forgetHistory() {
        capacity = 0
        history = end
    }
}
