// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension RandomAccessCollection {
    /// Index of the first element for which `belongs` returns true; `endIndex` when it returns false for all. The
    /// collection must be partitioned: `belongs` returns true for every element after the first such element. Takes
    /// logarithmic time.
    @inlinable
    package func partitionIndex(where belongs: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, self.count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if belongs(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
