import Foundation

/// Declarations in the folder `Deprecated`, in calls as they were written for SimpleFutures 0.1 and as the fix-its
/// rewrite them.
///
/// In a call, `` `old|new` `` is a change by a fix-it. `` `here` `` is short for the most common change, from
/// `executionContext: here` to `context: here`.
struct Spelling {
    let declarations: [String]
    /// The text of the warning if there is no new name: the call works, and no fix-it applies.
    let message: String
    private let calls: String

    init(_ declarations: String..., message: String = "", calls: String) {
        (self.declarations, self.message, self.calls) = (declarations, message, calls)
    }

    /// Of futures and of streams.
    init(ofBoth name: String, message: String = "", calls: String) {
        declarations = ["Future.\(name)", "FutureStream.\(name)"]
        self.message = message
        self.calls = ["number", "numbers"].map { calls.replacingOccurrences(of: "@", with: $0) }
            .joined(separator: "\n")
    }

    var old: [String] { lines { $0.1 } }
    var today: [String] { lines { $0.2 } }

    private func lines(_ side: ((Substring, Substring, Substring)) -> Substring) -> [String] {
        calls.replacingOccurrences(of: "`here`", with: "`executionContext|context`: here")
            .replacing(#/`([^`|]*)\|([^`|]*)`/#) { side($0.output) }
            .components(separatedBy: "\n")
    }
}

extension Spelling {
    static let all = [
        Spelling(
            ofBoth: "onComplete",
            calls: """
                @.onComplete(`here`) { print($0) }
                @.onComplete(`here`, `complete|completion`: { print($0) })
                """),
        Spelling(
            ofBoth: "onSuccess",
            calls: """
                @.onSuccess(`here`) { total += $0 }
                @.onSuccess(`here`, `success|completion`: { total += $0 })
                """),
        Spelling(
            ofBoth: "onFailure",
            calls: """
                @.onFailure(`here`) { print($0) }
                @.onFailure(`here`, `failure|completion`: { print($0) })
                """),
        Spelling(
            ofBoth: "withFilter",
            calls: """
                _ = @.withFilter(`here`) { $0 > 0 }
                _ = @.withFilter(`here`, filter: { $0 > 0 })
                """),
        Spelling(
            ofBoth: "foreach",
            calls: """
                @.`foreach|forEach` { total += $0 }
                @.`foreach|forEach`(apply: { total += $0 })
                @.`foreach|forEach`(`here`) { print($0) }
                @.`foreach|forEach`(`here`, apply: { print($0) })
                """),
        Spelling(
            ofBoth: "flatmap",
            calls: """
                _ = @.`flatmap|flatMap` { Future(value: $0) }
                _ = @.`flatmap|flatMap`(mapping: describe)
                _ = @.`flatmap|flatMap`(`here`) { number -> Future<String> in describe(number) }
                _ = @.`flatmap|flatMap`(`here`, mapping: describe)
                _ = @.`flatmap|flatMap` { count(to: $0) }
                _ = @.`flatmap|flatMap`(mapping: count)
                _ = @.`flatmap|flatMap`(`here`) { number -> FutureStream<String> in count(to: number) }
                _ = @.`flatmap|flatMap`(`here`, mapping: count)
                """),
        Spelling(
            "Future.flatmap",
            calls: """
                _ = number.`flatmap|flatMap`(capacity: 4) { number -> FutureStream<String> in count(to: number) }
                _ = number.`flatmap|flatMap`(capacity: 4, `here`) { count(to: $0) }
                _ = number.`flatmap|flatMap`(capacity: 4, `here`, mapping: count)
                """),
        Spelling(
            ofBoth: "recoverWith",
            calls: """
                _ = @.recoverWith(`here`) { _ -> Future<Int> in number }
                _ = @.recoverWith(`here`, recovery: { _ in number })
                _ = @.recoverWith(`here`) { _ -> FutureStream<Int> in numbers }
                """),
        Spelling(
            "Future.recoverWith",
            calls: """
                _ = number.recoverWith(capacity: 4, `here`) { _ in numbers }
                _ = number.recoverWith(capacity: 4, `here`, recovery: { _ in numbers })
                _ = numbers.recoverWith(`here`, recovery: { _ in numbers })
                """),
        Spelling(
            ofBoth: "completeWith",
            calls: "@.completeWith(`here`, future: promise.future)"),
        Spelling(
            "Promise.completeWith", "StreamPromise.completeWith",
            calls: """
                promise.completeWith(`here`, future: number)
                emitter.completeWith(`here`, future: number)
                """),
        Spelling(
            "Future.completeWith", "FutureStream.completeWith", "StreamPromise.completeWith",
            calls: """
                number.completeWith(`here`, stream: numbers)
                numbers.completeWith(`here`, stream: emitter.stream)
                emitter.completeWith(`here`, stream: numbers)
                """),
        Spelling(
            "StreamPromise.future",
            calls: """
                _ = emitter.`future|stream`
                emitter.`future|stream`.onSuccess { total += $0 }
                numbers.completeWith(stream: emitter.`future|stream`)
                """),
        Spelling(
            "Try.Success", "Try.Failure",
            calls: """
                promise.complete(.`Success|success`(1))
                _ = Try<Int>.`Success|success`(1)
                _ = [1, 2].map(Try.`Success|success`)
                promise.complete(.`Failure|failure`(error))
                _ = Try<Int>.`Failure|failure`(error)
                """),
        Spelling(
            "TryError", "FuturesError.filterFailed",
            calls: """
                _ = error is `TryError|FuturesError`
                promise.failure(`TryError|FuturesError`.noSuchElement)
                promise.failure(`TryError|FuturesError`.`filterFailed|noSuchElement`)
                _ = error as? FuturesError == .`filterFailed|noSuchElement`
                """),
    ]

    static let withoutFixIt = [
        Spelling(
            ofBoth: "map", message: "use `map(context:mapping:)`",
            calls: """
                _ = @.map(executionContext: here) { number -> Try<String> in Try(String(number)) }
                _ = @.map(executionContext: here, mapping: { Try($0 + 1) })
                """),
        Spelling(
            ofBoth: "recover", message: "use `recover(context:recovery:)`",
            calls: """
                _ = @.recover(executionContext: here) { Try($0) }
                _ = @.recover(executionContext: here, recovery: { _ in Try(1) })
                """),
        Spelling(
            ofBoth: "andThen", message: "use `andThen(context:completion:)`",
            calls: """
                _ = @.andThen(executionContext: here) { print($0) }
                _ = @.andThen(executionContext: here, complete: { print($0.isSuccess()) })
                """),
    ]

    /// Today's calls with mistakes in their labels, which the compiler must not take for old spellings.
    static let mistaken = Spelling(
        ofBoth: "",
        calls: """
            @.onComplete(`|context: `here) { print($0) }
            @.onSuccess(`|context: `here) { total += $0 }
            @.onFailure(`|context: `here) { print($0) }
            @.forEach(`|context: `here) { total += $0 }
            _ = @.map(`|context: `here) { $0 + 1 }
            _ = @.flatMap(`|context: `here) { describe($0) }
            _ = numbers.flatMap(`|context: `here) { count(to: $0) }
            _ = @.recoverWith(`|context: `here) { _ in number }
            _ = @.recoverWith(`|context: `here) { _ in numbers }
            _ = @.withFilter(`|context: `here) { $0 > 0 }
            _ = @.andThen(`|context: `here) { total += $0 }
            @.onSuccess(`contxt|context`: here) { total += $0 }
            @.onSuccess(context: here, `completon|completion`: { total += $0 })
            @.onSuccess(`completon|completion`: { total += $0 })
            """)

    /// Two fix-its lead to today's spelling: the first one leads to the old label.
    static let mistakenTwice = Spelling(
        calls: """
            number.completeWith(`|context: `here, future: promise.future)
            promise.completeWith(`|context: `here, future: number)
            numbers.completeWith(`|context: `here, future: number)
            numbers.completeWith(`|context: `here, stream: emitter.stream)
            emitter.completeWith(`|context: `here, future: number)
            emitter.completeWith(`|context: `here, stream: numbers)
            number.completeWith(`|context: `here, stream: numbers)
            """)
}
