// SPDX-License-Identifier: Apache-2.0

// The app's waits for everything to be uploaded or downloaded.

extension ClientSession {
  mutating func wait(for kind: SessionWait, id: UInt64) {
    guard phase != .ended else { return outputs.append(.effect(.finish(wait: id, .terminated))) }
    switch kind {
    case .upload: waits.append(Wait(id: id, goal: .upload(version: file.version)))
    case .download:
      if let exchange, lastMark == exchange.markSent { lastMark += 1 }
      waits.append(Wait(id: id, goal: .download(mark: exchange == nil ? nil : lastMark)))
    }
  }

  /// Lets the waits for downloads wait for the first MARK of an exchange.
  mutating func awaitFirstMark(_ mark: UInt64) {
    for index in waits.indices {
      if case .download = waits[index].goal { waits[index].goal = .download(mark: mark) }
    }
  }

  mutating func cancelWait(_ id: UInt64) {
    if waits.contains(where: { $0.id == id }) { finish(id, .canceled) }
  }

  mutating func failWaits(_ failure: SessionFailure) {
    for wait in waits { finish(wait.id, failure) }
  }

  mutating func finish(_ id: UInt64, _ failure: SessionFailure?) {
    waits.removeAll { $0.id == id }
    outputs.append(.effect(.finish(wait: id, failure)))
  }

  /// Finishes the waits whose goals are reached.
  mutating func finishWaits() {
    guard !waits.isEmpty, let exchange else { return }
    let uploaded = file.cursors.upload.clientVersion
    for wait in waits {
      let isDone =
        switch wait.goal {
        case .download(let mark): mark.map { $0 <= exchange.markReceived } ?? false
        case .upload(let version):
          uploaded >= version
            || exchange.scannedThrough >= version && uploaded >= exchange.lastEntrySent
        }
      if isDone { finish(wait.id, nil) }
    }
  }
}
