import SimpleFutures
import Testing
@testable import TestSupport

/// A marble diagram: the events of one to three sources, and of the stream that is derived from them.
///
/// A column is a tenth of a second. `-` means no event, `!` a failure with `Oops.source`, `!name` one with another
/// error, `|` the finish, `x` the cancellation. Any other word is a value; events of one column are separated by commas.
struct Marbles: Sendable, CustomTestStringConvertible {
    struct Sources: Sendable {
        let streams = (0..<3).map { _ in FutureStream<String>(capacity: 0) }
        let clock = ManualContext()

        var first: FutureStream<String> { streams[0] }
        var second: FutureStream<String> { streams[1] }
        var third: FutureStream<String> { streams[2] }
    }

    let testDescription: String
    private let sources: [String]
    private let expected: String
    private let derive: @Sendable (Sources) -> FutureStream<String>

    init(
        _ name: String, _ sources: String..., gives expected: String,
        _ derive: @escaping @Sendable (Sources) -> FutureStream<String>
    ) {
        testDescription = name
        self.sources = sources
        self.expected = expected
        self.derive = derive
    }

    /// Emits the events of the sources, and compares what the derived stream emits in each column.
    func check() {
        let source = Sources()
        let rows = sources.map { $0.split(separator: " ") }
        let log = derive(source).heard()
        var columns: [String] = []
        for column in rows[0].indices {
            let before = log.count
            source.clock.advance(by: .milliseconds(100))
            for (row, stream) in zip(rows, source.streams) {
                for event in row[column].split(separator: ",") { emit(String(event), into: stream) }
            }
            columns.append(log.all[before...].map(\.marble).joined(separator: ","))
            #expect(source.clock.timerCount <= 1)
            guard log.last == .finish || log.last == .cancel else { continue }
            #expect(source.streams.allSatisfy { $0.core.subscriberCount == 0 }, "it leaves its sources at once")
            #expect(source.clock.timerCount == 0)
        }
        #expect(source.clock.timerCount == 0)
        #expect(columns.map { $0.isEmpty ? "-" : $0 } == expected.split(separator: " ").map(String.init))
    }

    private func emit(_ event: String, into stream: FutureStream<String>) {
        switch event {
        case "-": break
        case "|": stream.finish()
        case "x": stream.core.cancelAsTarget()
        default: if let error = errors[event] { stream.failure(error) } else { stream.success(event) }
        }
    }
}

private let errors: [String: any Error] = [
    "!": Oops.source, "!other": Oops.other, "!thrown": Oops.thrown, "!noSuchElement": FuturesError.noSuchElement,
    "!timedOut": FuturesError.timedOut,
]

extension Heard<String> {
    /// The event in the notation of a marble diagram.
    fileprivate var marble: String {
        switch self {
        case .value(let value): value
        case .error(let text): errors.first { .failure($0.value) == self }?.key ?? text
        case .broken: "!broken"
        case .finish: "|"
        case .cancel: "x"
        }
    }
}

extension FutureStream<(String, String)> {
    var joined: FutureStream<String> { map(context: immediate) { $0 + $1 } }
}
