/// The arrays from which libpq takes parameters, reused for each statement.
final class ParameterBuffer {
    private(set) var values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private(set) var lengths: UnsafeMutablePointer<Int32>
    private(set) var formats: UnsafeMutablePointer<Int32>
    private var count = 16
    private var bytes: UnsafeMutableRawPointer
    private var size = 4096

    init() {
        values = .allocate(capacity: count)
        lengths = .allocate(capacity: count)
        formats = .allocate(capacity: count)
        bytes = .allocate(byteCount: size, alignment: 8)
    }

    deinit {
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
        bytes.deallocate()
    }

    func fill(_ binds: [Bind]) {
        makeRoom(for: binds)
        var offset = 0
        for (index, bind) in binds.enumerated() {
            formats[index] = bind.format.rawValue
            guard let size = bind.size else {
                values[index] = nil
                lengths[index] = 0
                continue
            }
            bind.write(to: bytes + offset)
            // Text parameters end in a NUL; libpq ignores their length.
            (bytes + offset + size).storeBytes(of: 0, as: UInt8.self)
            values[index] = UnsafePointer((bytes + offset).assumingMemoryBound(to: CChar.self))
            lengths[index] = Int32(truncatingIfNeeded: size)
            offset += size + 1
        }
    }

    private func makeRoom(for binds: [Bind]) {
        if binds.count > count {
            values.deallocate()
            lengths.deallocate()
            formats.deallocate()
            count = binds.count
            values = .allocate(capacity: count)
            lengths = .allocate(capacity: count)
            formats = .allocate(capacity: count)
        }
        var needed = 0
        for bind in binds { needed += (bind.size ?? 0) + 1 }
        guard needed > size else { return }
        bytes.deallocate()
        size = needed
        bytes = .allocate(byteCount: size, alignment: 8)
    }
}
