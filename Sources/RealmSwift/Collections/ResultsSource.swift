// SPDX-License-Identifier: Apache-2.0

// Collections as the sources of results.

/// A managed collection as the source of results.
public struct _ResultsSource {
  let state: ResultsState
  /// Whether these are values that no realm has, of which only the conditions are wanted.
  let isOfValues: Bool

  init(_ state: ResultsState, isOfValues: Bool = false) {
    self.state = state
    self.isOfValues = isOfValues
  }

  /// Whether these are the objects of a class that a read-only file has no table for.
  var lacksTable: Bool {
    if case .table = state.source { state.info == nil && !isOfValues } else { false }
  }
}
