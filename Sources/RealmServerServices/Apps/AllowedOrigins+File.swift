// SPDX-License-Identifier: Apache-2.0

// The origins of pages, as the file of an app has them.

#if Server
extension AllowedOrigins {
  /// The origins of an app's file; in development mode pages of the reader's own machine besides.
  package init(_ file: AppFile, in stage: AppStage) {
    self.init(file.allowedOrigins, allowsLocal: stage == .development)
  }
}
#endif
