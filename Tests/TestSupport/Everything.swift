/// The elements of a sequence up to its end.
func everything<Elements: AsyncSequence>(in elements: Elements) async throws(Elements.Failure) -> [Elements.Element] {
    var all: [Elements.Element] = []
    for try await element in elements { all.append(element) }
    return all
}
