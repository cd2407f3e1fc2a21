import SimpleFutures

/// Row 13: what is registered is cancelled piece by piece, in an order that is neither that of the registrations nor
/// its reverse.
///
/// Only the cancels count. Nobody else does this in less than the time that it takes to look for the piece: so ours is
/// compared with itself, many pieces with few.
enum CancelOneByOne {
    static func tokens(_ pieces: Int) -> Scenario {
        Scenario("cancel.tokens.\(pieces)", batch: batch(of: pieces)) { cancelTokens($0, pieces, &$1) }
    }

    static func futures(_ pieces: Int) -> Scenario {
        Scenario("cancel.futures.\(pieces)", batch: batch(of: pieces)) { cancelFutures($0, pieces, &$1) }
    }

    /// As many as the largest needs, so that all are measured alike: in memory that is as cold.
    private static func batch(of pieces: Int) -> Int { max(pieces, 100_000) }

    /// As many registrations on one future, each under a token of its own.
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

    /// One token, under which something is registered on as many futures.
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

    /// Every index below the count once: of each ten neighbours the odd ones first.
    private static func scattered(_ count: Int) -> some Sequence<Int> {
        let step = 10
        return stride(from: 0, to: count, by: step).lazy.flatMap { first in
            [1, 3, 5, 7, 9, 0, 2, 4, 6, 8].lazy.map { first + $0 }
        }
    }
}
