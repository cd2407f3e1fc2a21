import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A service of a main-actor module, behind a protocol", .watchdog)
struct ServiceTests {
    @Test(arguments: Origin.allCases)
    func `its methods are wrapped where a model is made, and later`(origin: Origin) async throws {
        let service = RemoteService(origin: origin)
        let model = ServiceModel(service: service)
        #expect(try await model.first.value.name == "1")
        #expect(try await model.profile(2).value.name == "2")
        #expect(try await model.current().value.name == "0")
        #expect(try await model.all([3, 4]).value.map { $0.name } == ["3", "4"])
        #expect(service.requests == [1, 2, 0, 3, 4])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `one request after the other`(place: Place, origin: Origin) async throws {
        let service = RemoteService(origin: origin)
        let model = ServiceModel(service: service)
        #expect(try await model.next(after: 1, on: place.makeContext()).value.name == "2")
        #expect(service.requests == [1, 2])
    }
}

private protocol Service {
    func current(completion: @escaping @Sendable (Profile?, (any Error)?) -> Void)
    func profile(id: Int, completion: @escaping @Sendable (Profile?, (any Error)?) -> Void)
}

private final class RemoteService: Service {
    private let origin: Origin
    private(set) var requests: [Int] = []

    init(origin: Origin) { self.origin = origin }

    func current(completion: @escaping @Sendable (Profile?, (any Error)?) -> Void) {
        profile(id: 0, completion: completion)
    }

    func profile(id: Int, completion: @escaping @Sendable (Profile?, (any Error)?) -> Void) {
        requests.append(id)
        origin.call { completion(Profile(id: id, name: "\(id)"), nil) }
    }
}

private final class ServiceModel {
    private let service: any Service
    private(set) lazy var first: Future<Profile> = future { self.service.profile(id: 1, completion: $0) }

    init(service: any Service) { self.service = service }

    func current() -> Future<Profile> { future(method: service.current) }

    func profile(_ id: Int) -> Future<Profile> { future { service.profile(id: id, completion: $0) } }

    func all(_ ids: [Int]) -> Future<[Profile]> { ids.traverse(mapping: profile) }

    func next(after id: Int, on context: any ExecutionContext) -> Future<Profile> {
        profile(id).flatMap(context: context) { profile in
            MainActor.assumeIsolated { self.profile(profile.id + 1) }
        }
    }
}
