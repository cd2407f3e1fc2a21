import SimpleFutures

/// A future that is handed out before it is known what will complete it.
class Lookup {
    let answer = Future<Int>()
    private(set) var sources = 0

    func start(with station: Station) {
        sources += 1
        answer.completeWith(future: station.futurePressure())
    }

    func start(with stored: Int?, context: ExecutionContext) {
        sources += 1
        if let stored = stored {
            answer.completeWith(context: context, future: Future(value: stored))
        } else {
            answer.completeWith(context: context, future: Future(error: WeatherError.offline))
        }
    }

    func start(with attempt: Try<Future<Int>>) {
        sources += 1
        answer.completeWith(future: attempt)
    }

    func giveUp() {
        answer.failure(WeatherError.offline)
    }
}

func copy<Value>(_ future: Future<Value>) -> Future<Value> {
    return Future(context: ImmediateContext(), dependent: future)
}
