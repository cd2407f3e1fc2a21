import Testing

/// Expects a process to have failed with a message that contains these texts and names a line of the failing file.
func expect(_ result: ExitTest.Result?, toSay texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts + ["\(sourceLocation.fileID):"] {
        #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
    }
}
