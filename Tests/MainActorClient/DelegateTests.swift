import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// MARK: The app's own delegate: thirteen lines

private final class LocationForwarder: LocationManagerDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func manager(_ manager: LocationManager, didUpdate location: Double) { emitter.success(location) }
    func manager(_ manager: LocationManager, didFail error: any Error) { emitter.failure(error) }
}
// swift-format-ignore
private func locations(of manager: LocationManager) -> FutureStream<Double> {
    FutureStream(capacity: 1, isolated: { emitter in
        let forwarder = LocationForwarder(emitter)
        (manager.delegate, manager.isUpdating) = (forwarder, true)
        return CancelAction(keeping: forwarder, isolated: { manager.isUpdating = false })
    })
}

// MARK: A delegate of another module, not Sendable and not annotated: fourteen lines

private final class CompassForwarder: CompassDelegate {
    let emitter: StreamEmitter<Double>
    init(_ emitter: StreamEmitter<Double>) { self.emitter = emitter }
    func compass(_ compass: Compass, didTurn heading: Double) { emitter.success(heading) }
    func compass(_ compass: Compass, didFail error: any Error) { emitter.failure(error) }
}
// swift-format-ignore
private func headings(of compass: Compass) -> FutureStream<Double> {
    FutureStream(capacity: 0, isolated: { emitter in
        let forwarder = CompassForwarder(emitter)
        compass.delegate = forwarder
        compass.start()
        return CancelAction(keeping: forwarder, isolated: { compass.stop() })
    })
}

@Suite("Delegates in a main-actor module", .watchdog)
struct DelegateTests {
    @Test func `the app's own delegate is a stream`() async {
        let manager = LocationManager()
        var stream: FutureStream? = locations(of: manager)
        var sum = 0.0
        stream?.onSuccess(isolated: { sum += $0 })
        await until { manager.isUpdating }
        manager.delegate?.manager(manager, didUpdate: 1)
        manager.delegate?.manager(manager, didFail: AppError.offline)
        manager.delegate?.manager(manager, didUpdate: 2)
        await until { sum == 3 }
        stream?.finish()
        stream = nil
        await until { !manager.isUpdating && manager.delegate == nil }
    }

    @Test(arguments: [true, false])
    func `another module's delegate is a stream, until its subscription or token ends`(isToken: Bool) async throws {
        let (compass, token) = (Compass(), CancelToken())
        let stream = headings(of: compass)
        #expect(!compass.isRunning)
        if isToken {
            stream.onSuccess(cancelToken: token, isolated: { _ in })
            await until { compass.isRunning }
            token.cancel()
        } else {
            let subscription = stream.subscription()
            await until { compass.isRunning }
            for heading in [90.0, 180] { compass.delegate?.compass(compass, didTurn: heading) }
            var headings: [Double] = []
            for try await heading in subscription {
                headings.append(heading)
                if heading == 180 { break }
            }
            #expect(headings == [90, 180])
        }
        await until { !compass.isRunning && compass.delegate == nil }
    }
}

private protocol LocationManagerDelegate: AnyObject {
    func manager(_ manager: LocationManager, didUpdate location: Double)
    func manager(_ manager: LocationManager, didFail error: any Error)
}

private final class LocationManager {
    weak var delegate: (any LocationManagerDelegate)?
    var isUpdating = false
}

private nonisolated protocol CompassDelegate: AnyObject {
    func compass(_ compass: Compass, didTurn heading: Double)
    func compass(_ compass: Compass, didFail error: any Error)
}

private nonisolated final class Compass {
    weak var delegate: (any CompassDelegate)?
    private(set) var isRunning = false

    func start() { isRunning = true }
    func stop() { isRunning = false }
}
