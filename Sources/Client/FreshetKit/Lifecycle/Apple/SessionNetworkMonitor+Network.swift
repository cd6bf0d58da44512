// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Network)
    internal import Dispatch
    internal import Network

