/// Makes a failing program as small as possible while it still fails.
enum Shrinker {
    /// Removes halves, quarters and so on, and finally single steps, until no more can be removed.
    static func shrink<Subject: Program>(_ program: Subject, tries: Int = 300, fails: (Subject) -> Bool) -> Subject {
        var smallest = program
        var left = tries
        var size = max(1, program.count / 2)
        while true {
            var isSmaller = false
            // From the end, because fewer steps depend on the last ones.
            var end = smallest.count
            while end > 0, left > 0 {
                let places = max(0, end - size)..<min(end, smallest.count)
                if let candidate = smallest.removing(places) {
                    left -= 1
                    if fails(candidate) {
                        smallest = candidate
                        isSmaller = true
                    }
                }
                end -= size
            }
            if left <= 0 || (size == 1 && !isSmaller) { return smallest }
            if !isSmaller { size = max(1, size / 2) }
        }
    }
}
