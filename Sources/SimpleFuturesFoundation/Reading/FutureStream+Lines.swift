public import Foundation
public import SimpleFutures

extension FutureStream where T == Data {
    /// Splits this stream's pieces into lines, as UTF-8, and returns a stream of the lines.
    ///
    ///     chunks.lines().onSuccess { print($0) }
    ///
    /// A line ends with a newline, or with a carriage return and a newline, which are not included. The rest when this
    /// stream finishes is the last line; if it is canceled, the rest is dropped. Failures are passed on in their
    /// position between the lines. Invalid UTF-8 becomes U+FFFD. No context is involved. It subscribes at once: if this
    /// stream has a capacity of 0, lines that come before you subscribe are lost.
    ///
    /// - Parameter cancelToken: When canceled, cancels the new stream.
    public func lines(cancelToken: CancelToken = .none) -> FutureStream<String> {
        let derived = FutureStream<String>(producedWith: capacity)
        let splitter = Lock(LineSplitter())
        core.subscribe(.everything, under: cancelToken, target: derived.core) { event, target in
            guard let target else { return }
            switch event.signal {
            case .success:
                let piece = event.value(as: Data.self)
                for line in splitter.withLock({ $0.add(piece) }) { target.pass(.success(line)) }
            case .failure: target.pass(event.result(as: Data.self).map { _ in "" })
            case .finish:
                if let line = splitter.withLock({ $0.end() }) { target.pass(.success(line)) }
                target.loseProducer()
            case .cancellation: target.cancelAsTarget()
            }
        }
        return derived
    }
}
