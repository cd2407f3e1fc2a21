extension Spelling {
    static let ofStreams = [
        Spelling(
            "FutureStream.onComplete",
            old: """
                numbers.onComplete(executionContext: here) { print($0) }
                numbers.onComplete(executionContext: here, complete: { print($0) })
                """,
            today: """
                numbers.onComplete(context: here) { print($0) }
                numbers.onComplete(context: here, completion: { print($0) })
                """),
        Spelling(
            "FutureStream.onSuccess",
            old: """
                numbers.onSuccess(executionContext: here) { total += $0 }
                numbers.onSuccess(executionContext: here, success: { total += $0 })
                """,
            today: """
                numbers.onSuccess(context: here) { total += $0 }
                numbers.onSuccess(context: here, completion: { total += $0 })
                """),
        Spelling(
            "FutureStream.onFailure",
            old: """
                numbers.onFailure(executionContext: here) { print($0) }
                numbers.onFailure(executionContext: here, failure: { print($0) })
                """,
            today: """
                numbers.onFailure(context: here) { print($0) }
                numbers.onFailure(context: here, completion: { print($0) })
                """),
        Spelling(
            "FutureStream.flatmap",
            old: """
                _ = numbers.flatmap { count(to: $0) }
                _ = numbers.flatmap(mapping: count)
                _ = numbers.flatmap(executionContext: here) { number -> FutureStream<String> in count(to: number) }
                _ = numbers.flatmap(executionContext: here, mapping: count)
                _ = numbers.flatmap { Future(value: $0) }
                _ = numbers.flatmap(mapping: describe)
                _ = numbers.flatmap(executionContext: here) { number -> Future<String> in describe(number) }
                _ = numbers.flatmap(executionContext: here, mapping: describe)
                """,
            today: """
                _ = numbers.flatMap { count(to: $0) }
                _ = numbers.flatMap(mapping: count)
                _ = numbers.flatMap(context: here) { number -> FutureStream<String> in count(to: number) }
                _ = numbers.flatMap(context: here, mapping: count)
                _ = numbers.flatMap { Future(value: $0) }
                _ = numbers.flatMap(mapping: describe)
                _ = numbers.flatMap(context: here) { number -> Future<String> in describe(number) }
                _ = numbers.flatMap(context: here, mapping: describe)
                """),
        Spelling(
            "FutureStream.recoverWith",
            old: """
                _ = numbers.recoverWith(executionContext: here) { _ -> FutureStream<Int> in numbers }
                _ = numbers.recoverWith(executionContext: here, recovery: { _ in numbers })
                _ = numbers.recoverWith(executionContext: here) { _ -> Future<Int> in number }
                _ = numbers.recoverWith(executionContext: here, recovery: { _ in number })
                """,
            today: """
                _ = numbers.recoverWith(context: here) { _ -> FutureStream<Int> in numbers }
                _ = numbers.recoverWith(context: here, recovery: { _ in numbers })
                _ = numbers.recoverWith(context: here) { _ -> Future<Int> in number }
                _ = numbers.recoverWith(context: here, recovery: { _ in number })
                """),
        Spelling(
            "FutureStream.withFilter",
            old: """
                _ = numbers.withFilter(executionContext: here) { $0 > 0 }
                _ = numbers.withFilter(executionContext: here, filter: { $0 > 0 })
                """,
            today: """
                _ = numbers.withFilter(context: here) { $0 > 0 }
                _ = numbers.withFilter(context: here, filter: { $0 > 0 })
                """),
        Spelling(
            "FutureStream.foreach",
            old: """
                numbers.foreach { total += $0 }
                numbers.foreach(apply: { total += $0 })
                numbers.foreach(executionContext: here) { print($0) }
                numbers.foreach(executionContext: here, apply: { print($0) })
                """,
            today: """
                numbers.forEach { total += $0 }
                numbers.forEach(apply: { total += $0 })
                numbers.forEach(context: here) { print($0) }
                numbers.forEach(context: here, apply: { print($0) })
                """),
        Spelling(
            "FutureStream.completeWith",
            old: """
                numbers.completeWith(executionContext: here, future: number)
                """,
            today: """
                numbers.completeWith(context: here, future: number)
                """),
        Spelling(
            "FutureStream.completeWith",
            old: """
                numbers.completeWith(executionContext: here, stream: emitter.stream)
                """,
            today: """
                numbers.completeWith(context: here, stream: emitter.stream)
                """),
        Spelling(
            "StreamPromise.future",
            old: """
                _ = emitter.future
                emitter.future.onSuccess { total += $0 }
                numbers.completeWith(stream: emitter.future)
                """,
            today: """
                _ = emitter.stream
                emitter.stream.onSuccess { total += $0 }
                numbers.completeWith(stream: emitter.stream)
                """),
        Spelling(
            "StreamPromise.completeWith",
            old: """
                emitter.completeWith(executionContext: here, future: number)
                """,
            today: """
                emitter.completeWith(context: here, future: number)
                """),
        Spelling(
            "StreamPromise.completeWith",
            old: """
                emitter.completeWith(executionContext: here, stream: numbers)
                """,
            today: """
                emitter.completeWith(context: here, stream: numbers)
                """),
        Spelling(
            "Future.flatmap",
            old: """
                _ = number.flatmap { count(to: $0) }
                _ = number.flatmap(mapping: count)
                _ = number.flatmap(capacity: 4) { number -> FutureStream<String> in count(to: number) }
                _ = number.flatmap(executionContext: here) { number -> FutureStream<String> in count(to: number) }
                _ = number.flatmap(capacity: 4, executionContext: here) { count(to: $0) }
                _ = number.flatmap(capacity: 4, executionContext: here, mapping: count)
                """,
            today: """
                _ = number.flatMap { count(to: $0) }
                _ = number.flatMap(mapping: count)
                _ = number.flatMap(capacity: 4) { number -> FutureStream<String> in count(to: number) }
                _ = number.flatMap(context: here) { number -> FutureStream<String> in count(to: number) }
                _ = number.flatMap(capacity: 4, context: here) { count(to: $0) }
                _ = number.flatMap(capacity: 4, context: here, mapping: count)
                """),
        Spelling(
            "Future.recoverWith",
            old: """
                _ = number.recoverWith(executionContext: here) { _ -> FutureStream<Int> in numbers }
                _ = number.recoverWith(capacity: 4, executionContext: here) { _ in numbers }
                _ = number.recoverWith(capacity: 4, executionContext: here, recovery: { _ in numbers })
                """,
            today: """
                _ = number.recoverWith(context: here) { _ -> FutureStream<Int> in numbers }
                _ = number.recoverWith(capacity: 4, context: here) { _ in numbers }
                _ = number.recoverWith(capacity: 4, context: here, recovery: { _ in numbers })
                """),
        Spelling(
            "Future.completeWith",
            old: """
                number.completeWith(executionContext: here, stream: numbers)
                """,
            today: """
                number.completeWith(context: here, stream: numbers)
                """),
    ]

    static let ofStreamsWithoutFixIt = [
        Spelling(
            "FutureStream.map",
            old: """
                _ = numbers.map(executionContext: here) { number -> Try<String> in Try(String(number)) }
                _ = numbers.map(executionContext: here, mapping: { Try($0 + 1) })
                """,
            today: "use `map(context:mapping:)`"),
        Spelling(
            "FutureStream.recover",
            old: """
                _ = numbers.recover(executionContext: here) { Try($0) }
                _ = numbers.recover(executionContext: here, recovery: { _ in Try(1) })
                """,
            today: "use `recover(context:recovery:)`"),
        Spelling(
            "FutureStream.andThen",
            old: """
                _ = numbers.andThen(executionContext: here) { print($0) }
                _ = numbers.andThen(executionContext: here, complete: { print($0.isSuccess()) })
                """,
            today: "use `andThen(context:completion:)`"),
    ]

    static let mistakenForStreams = Spelling(
        "",
        old: """
            numbers.onComplete(here) { print($0) }
            numbers.onSuccess(here) { total += $0 }
            numbers.onFailure(here) { print($0) }
            numbers.forEach(here) { total += $0 }
            _ = numbers.map(here) { $0 + 1 }
            _ = numbers.flatMap(here) { describe($0) }
            _ = numbers.flatMap(here) { count(to: $0) }
            _ = numbers.recoverWith(here) { _ in number }
            _ = numbers.recoverWith(here) { _ in numbers }
            _ = numbers.withFilter(here) { $0 > 0 }
            _ = numbers.andThen(here) { total += $0 }
            numbers.onSuccess(contxt: here) { total += $0 }
            numbers.onSuccess(context: here, completon: { total += $0 })
            numbers.onSuccess(completon: { total += $0 })
            _ = number.recoverWith(here) { _ in numbers }
            """,
        today: """
            numbers.onComplete(context: here) { print($0) }
            numbers.onSuccess(context: here) { total += $0 }
            numbers.onFailure(context: here) { print($0) }
            numbers.forEach(context: here) { total += $0 }
            _ = numbers.map(context: here) { $0 + 1 }
            _ = numbers.flatMap(context: here) { describe($0) }
            _ = numbers.flatMap(context: here) { count(to: $0) }
            _ = numbers.recoverWith(context: here) { _ in number }
            _ = numbers.recoverWith(context: here) { _ in numbers }
            _ = numbers.withFilter(context: here) { $0 > 0 }
            _ = numbers.andThen(context: here) { total += $0 }
            numbers.onSuccess(context: here) { total += $0 }
            numbers.onSuccess(context: here, completion: { total += $0 })
            numbers.onSuccess(completion: { total += $0 })
            _ = number.recoverWith(context: here) { _ in numbers }
            """)

    /// Two fix-its lead to today's: the first one to the old label.
    static let mistakenTwice = Spelling(
        "",
        old: """
            number.completeWith(here, future: promise.future)
            promise.completeWith(here, future: number)
            numbers.completeWith(here, future: number)
            numbers.completeWith(here, stream: emitter.stream)
            emitter.completeWith(here, future: number)
            emitter.completeWith(here, stream: numbers)
            number.completeWith(here, stream: numbers)
            """,
        today: """
            number.completeWith(context: here, future: promise.future)
            promise.completeWith(context: here, future: number)
            numbers.completeWith(context: here, future: number)
            numbers.completeWith(context: here, stream: emitter.stream)
            emitter.completeWith(context: here, future: number)
            emitter.completeWith(context: here, stream: numbers)
            number.completeWith(context: here, stream: numbers)
            """)
}
