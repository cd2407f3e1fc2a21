extension Spelling {
    static let ofFutures = [
        Spelling(
            "Future.onComplete",
            old: """
                number.onComplete(executionContext: here) { print($0) }
                number.onComplete(executionContext: here, complete: { print($0) })
                """,
            today: """
                number.onComplete(context: here) { print($0) }
                number.onComplete(context: here, completion: { print($0) })
                """),
        Spelling(
            "Future.onSuccess",
            old: """
                number.onSuccess(executionContext: here) { total += $0 }
                number.onSuccess(executionContext: here, success: { total += $0 })
                """,
            today: """
                number.onSuccess(context: here) { total += $0 }
                number.onSuccess(context: here, completion: { total += $0 })
                """),
        Spelling(
            "Future.onFailure",
            old: """
                number.onFailure(executionContext: here) { print($0) }
                number.onFailure(executionContext: here, failure: { print($0) })
                """,
            today: """
                number.onFailure(context: here) { print($0) }
                number.onFailure(context: here, completion: { print($0) })
                """),
        Spelling(
            "Future.flatmap",
            old: """
                _ = number.flatmap { Future(value: $0) }
                _ = number.flatmap(mapping: describe)
                _ = number.flatmap(executionContext: here) { number -> Future<String> in describe(number) }
                _ = number.flatmap(executionContext: here, mapping: describe)
                """,
            today: """
                _ = number.flatMap { Future(value: $0) }
                _ = number.flatMap(mapping: describe)
                _ = number.flatMap(context: here) { number -> Future<String> in describe(number) }
                _ = number.flatMap(context: here, mapping: describe)
                """),
        Spelling(
            "Future.recoverWith",
            old: """
                _ = number.recoverWith(executionContext: here) { _ -> Future<Int> in number }
                _ = number.recoverWith(executionContext: here, recovery: { _ in number })
                """,
            today: """
                _ = number.recoverWith(context: here) { _ -> Future<Int> in number }
                _ = number.recoverWith(context: here, recovery: { _ in number })
                """),
        Spelling(
            "Future.withFilter",
            old: """
                _ = number.withFilter(executionContext: here) { $0 > 0 }
                _ = number.withFilter(executionContext: here, filter: { $0 > 0 })
                """,
            today: """
                _ = number.withFilter(context: here) { $0 > 0 }
                _ = number.withFilter(context: here, filter: { $0 > 0 })
                """),
        Spelling(
            "Future.foreach",
            old: """
                number.foreach { total += $0 }
                number.foreach(apply: { total += $0 })
                number.foreach(executionContext: here) { print($0) }
                number.foreach(executionContext: here, apply: { print($0) })
                """,
            today: """
                number.forEach { total += $0 }
                number.forEach(apply: { total += $0 })
                number.forEach(context: here) { print($0) }
                number.forEach(context: here, apply: { print($0) })
                """),
        Spelling(
            "Future.completeWith",
            old: """
                number.completeWith(executionContext: here, future: promise.future)
                """,
            today: """
                number.completeWith(context: here, future: promise.future)
                """),
        Spelling(
            "Promise.completeWith",
            old: """
                promise.completeWith(executionContext: here, future: number)
                """,
            today: """
                promise.completeWith(context: here, future: number)
                """),
        Spelling(
            "Try.Success",
            old: """
                promise.complete(.Success(1))
                _ = Try<Int>.Success(1)
                _ = [1, 2].map(Try.Success)
                """,
            today: """
                promise.complete(.success(1))
                _ = Try<Int>.success(1)
                _ = [1, 2].map(Try.success)
                """),
        Spelling(
            "Try.Failure",
            old: """
                promise.complete(.Failure(error))
                _ = Try<Int>.Failure(error)
                """,
            today: """
                promise.complete(.failure(error))
                _ = Try<Int>.failure(error)
                """),
        Spelling(
            "TryError",
            old: """
                _ = error is TryError
                promise.failure(TryError.noSuchElement)
                """,
            today: """
                _ = error is FuturesError
                promise.failure(FuturesError.noSuchElement)
                """),
        Spelling(
            "FuturesError.filterFailed",
            old: """
                promise.failure(TryError.filterFailed)
                _ = error as? FuturesError == .filterFailed
                """,
            today: """
                promise.failure(FuturesError.noSuchElement)
                _ = error as? FuturesError == .noSuchElement
                """),
    ]

    static let ofFuturesWithoutFixIt = [
        Spelling(
            "Future.map",
            old: """
                _ = number.map(executionContext: here) { number -> Try<String> in Try(String(number)) }
                _ = number.map(executionContext: here, mapping: { Try($0 + 1) })
                """,
            today: "use `map(context:mapping:)`"),
        Spelling(
            "Future.recover",
            old: """
                _ = number.recover(executionContext: here) { Try($0) }
                _ = number.recover(executionContext: here, recovery: { _ in Try(1) })
                """,
            today: "use `recover(context:recovery:)`"),
        Spelling(
            "Future.andThen",
            old: """
                _ = number.andThen(executionContext: here) { print($0) }
                _ = number.andThen(executionContext: here, complete: { print($0.isSuccess()) })
                """,
            today: "use `andThen(context:completion:)`"),
    ]

    static let mistakenForFutures = Spelling(
        "",
        old: """
            number.onComplete(here) { print($0) }
            number.onSuccess(here) { total += $0 }
            number.onFailure(here) { print($0) }
            number.forEach(here) { total += $0 }
            _ = number.map(here) { $0 + 1 }
            _ = number.flatMap(here) { describe($0) }
            _ = number.recoverWith(here) { _ in number }
            _ = number.withFilter(here) { $0 > 0 }
            _ = number.andThen(here) { total += $0 }
            number.onSuccess(contxt: here) { total += $0 }
            number.onSuccess(context: here, completon: { total += $0 })
            number.onSuccess(completon: { total += $0 })
            """,
        today: """
            number.onComplete(context: here) { print($0) }
            number.onSuccess(context: here) { total += $0 }
            number.onFailure(context: here) { print($0) }
            number.forEach(context: here) { total += $0 }
            _ = number.map(context: here) { $0 + 1 }
            _ = number.flatMap(context: here) { describe($0) }
            _ = number.recoverWith(context: here) { _ in number }
            _ = number.withFilter(context: here) { $0 > 0 }
            _ = number.andThen(context: here) { total += $0 }
            number.onSuccess(context: here) { total += $0 }
            number.onSuccess(context: here, completion: { total += $0 })
            number.onSuccess(completion: { total += $0 })
            """)
}
