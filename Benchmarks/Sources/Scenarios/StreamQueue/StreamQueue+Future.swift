import Dispatch
import SimpleFutures

extension StreamQueue {
    @concurrent
    static func futureStreams(_ count: Int) async {
        let queue = DispatchQueue(label: "consumer")
        let stream = FutureStream<Int>(capacity: 0)
        stream.onSuccess(context: QueueContext(queue: Queue(queue))) { blackHole($0) }
        await withCheckedContinuation { end in
            stream.onFinish(context: QueueContext(queue: Queue(queue))) { end.resume() }
            for value in 0..<count { stream.success(value) }
            stream.finish()
        }
    }
}
