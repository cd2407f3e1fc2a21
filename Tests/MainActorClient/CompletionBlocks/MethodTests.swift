import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("future(method:) in a main-actor module", .watchdog)
struct MethodTests {
    @Test(arguments: Origin.allCases, Answer.allCases)
    func `every shape of block, annotated`(origin: Origin, answer: Answer) async {
        let client = AnnotatedClient(origin, answer)
        await expect(answer, future(method: client.plain), future(method: client.optional))
        await expect(answer, future(method: client.result))
        await expect(answer, future(method: { client.find(1, success: $0, failure: $1) }))
        let response: Future<(String, Int)> = future(method: client.response)
        await expect(answer, response.map { "\($0.0)" })
        #expect(await future(method: client.save).outcome.error as? AppError == answer.error)
        #expect(await future(method: client.text).outcome.value == "one")
        #expect(await future(method: client.wait).outcome.isSuccess())
        #expect(await future(method: AnnotatedClient.shared).outcome.value == "one")
    }

    @Test(arguments: Origin.allCases, Answer.allCases)
    func `every shape of block, without annotation`(origin: Origin, answer: Answer) async {
        let client = UnannotatedClient(origin, answer)
        await expect(answer, future(method: client.plain), future(method: client.optional))
        await expect(answer, future(method: client.result))
        await expect(answer, future(method: { client.find(1, success: $0, failure: $1) }))
        let response: Future<(String, Int)> = future(method: client.response)
        await expect(answer, response.map { "\($0.0)" })
        #expect(await future(method: client.save).outcome.error as? AppError == answer.error)
        #expect(await future(method: client.text).outcome.value == "one")
        #expect(await future(method: client.wait).outcome.isSuccess())
    }

    @Test(arguments: Origin.allCases, Answer.allCases)
    func `methods of a class on the main actor`(origin: Origin, answer: Answer) async {
        let client = MainActorClass(origin, answer)
        await expect(answer, future(method: client.optional), future(method: client.home))
        await expect(answer, future { client.optional(completion: $0) }, future { client.home(completion: $0) })
        #expect(await future(method: client.text).outcome.value == "one")
        #expect(future { client.cached(completion: $0) }.result?.value == "one")
        #expect(client.requests == 6)
    }

    @Test(arguments: Origin.allCases, Answer.allCases)
    func `a closure that changes the main actor's state before it calls the method`(
        origin: Origin, answer: Answer
    ) async {
        let client = UnannotatedClient(origin, answer)
        let model = ProfileModel()
        let text: Future<String> = future { done in
            model.show(Profile(id: 1, name: "asking"))
            client.optional(completion: done)
        }
        #expect(model.title == "asking")
        await expect(answer, text)
    }

    // Unmarked it would be the main actor's, and trap when a module that the compiler does not check calls it
    // elsewhere.
    @Test(arguments: Origin.allCases, Answer.allCases)
    func `a block inside a block is marked as one for any thread`(origin: Origin, answer: Answer) async {
        let client = UnannotatedClient(origin, answer)
        let text = Future<String> { complete in
            client.optional { @Sendable text, error in
                complete(text.map { .success($0) } ?? .failure(error ?? AppError.unknown))
            }
        }
        await expect(answer, text)
        let length: Future<Int> = future { done in client.text { @Sendable text in done(text.count, nil) } }
        #expect(await length.outcome.value == 3)
    }

    @Test(arguments: Origin.allCases)
    func `a method that throws on the main actor`(origin: Origin) async {
        let client = MainActorClass(origin, .value)
        let refused: Future<String> = future { done in
            guard client.requests > 0 else { throw AppError.unknown }
            client.text(completion: done)
        }
        #expect(await refused.outcome.error as? AppError == .unknown)
    }

    private func expect(_ answer: Answer, _ futures: Future<String>...) async {
        for future in futures {
            let outcome = await future.outcome
            #expect(outcome.value == answer.text)
            #expect(outcome.error as? AppError == answer.error)
        }
    }
}
