import SimpleFutures

/// Row 13: registrations are cancelled one by one, in an order that is neither that of the registrations nor its
/// reverse.
///
/// Only the cancellations count. No peer does this without searching for the registration: so SimpleFutures is compared
/// with itself, many registrations with few.
enum CancelOneByOne {
    static func tokens(_ pieces: Int) -> Scenario {
        Scenario("cancel.tokens.\(pieces)", batch: batch(of: pieces)) { cancelTokens($0, pieces, &$1) }
    }

    static func futures(_ pieces: Int) -> Scenario {
        Scenario("cancel.futures.\(pieces)", batch: batch(of: pieces)) { cancelFutures($0, pieces, &$1) }
    }

    /// The batch of the largest case, so that all cases are measured alike: with equally cold memory.
    private static func batch(of pieces: Int) -> Int { max(pieces, 100_000) }

    /// Many registrations on one future, each under its own token.
    private static func cancelTokens(_ count: Int, _ pieces: Int, _ stopwatch: inout Stopwatch) {
        for _ in 0..<(count / batch(of: pieces)) {
            let futures = (0..<(batch(of: pieces) / pieces)).map { _ in Future<Int>() }
            let tokens = futures.map { future in
                (0..<pieces).map { _ in
                    let token = CancelToken()
                    future.onSuccess(context: ImmediateContext(), cancelToken: token) { blackHole($0) }
                    return token
                }
            }
            stopwatch.measure {
                for tokens in tokens {
                    for index in scattered(pieces) { tokens[index].cancel() }
                }
            }
            withExtendedLifetime(futures) {}
        }
    }

    /// One token with a registration on each of many futures.
    private static func cancelFutures(_ count: Int, _ pieces: Int, _ stopwatch: inout Stopwatch) {
        for _ in 0..<(count / batch(of: pieces)) {
            let tokens = (0..<(batch(of: pieces) / pieces)).map { _ in CancelToken() }
            let futures = tokens.map { token in
                (0..<pieces).map { _ in
                    let future = Future<Int>()
                    future.onSuccess(context: ImmediateContext(), cancelToken: token) { blackHole($0) }
                    return future
                }
            }
            stopwatch.measure {
                for (futures, token) in zip(futures, tokens) {
                    for index in scattered(pieces) { futures[index].cancel(token) }
                }
            }
        }
    }

    /// Every index below the count once: of each ten neighbors the odd ones first.
    private static func scattered(_ count: Int) -> some Sequence<Int> {
        let step = 10
        return stride(from: 0, to: count, by: step).lazy.flatMap { first in
            [1, 3, 5, 7, 9, 0, 2, 4, 6, 8].lazy.map { first + $0 }
        }
    }
}
