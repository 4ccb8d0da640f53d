// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/choice.h"

#include <QHash>
#include <QObject>

namespace prism::ui::format {

using namespace Qt::StringLiterals;

QString choice(const QString& value)
{
    static const QHash<QString, QString> kKnown{{u"1f1b"_s, u"1F1B"_s},
                                                {u"gpipe"_s, u"GPipe"_s},
                                                {u"zb-h1"_s, u"ZB-H1"_s},
                                                {u"zb-h2"_s, u"ZB-H2"_s},
                                                {u"zb-v"_s, u"ZB-V"_s},
                                                {u"dualpipe"_s, u"DualPipe"_s},
                                                {u"dualpipev"_s, u"DualPipeV"_s},
                                                {u"bf16"_s, u"BF16"_s},
                                                {u"fp16"_s, u"FP16"_s},
                                                {u"fp32"_s, u"FP32"_s},
                                                {u"fp8_delayed"_s, u"FP8, delayed scaling"_s},
                                                {u"fp8_tensorwise"_s, u"FP8, tensorwise"_s},
                                                {u"fp8_blockwise"_s, u"FP8, blockwise"_s},
                                                {u"mxfp8"_s, u"MXFP8"_s},
                                                {u"nvfp4"_s, u"NVFP4"_s},
                                                {u"rmsnorm"_s, u"RMSNorm"_s},
                                                {u"layernorm"_s, u"LayerNorm"_s},
                                                {u"sgd"_s, u"SGD"_s},
                                                {u"p2p"_s, u"P2P ring"_s},
                                                {u"a2a"_s, u"All-to-all"_s},
                                                {u"alltoall"_s, u"All-to-all"_s},
                                                {u"flash1"_s, u"FlashAttention 1"_s},
                                                {u"flash2"_s, u"FlashAttention 2"_s},
                                                {u"flash3"_s, u"FlashAttention 3"_s},
                                                {u"cudnn"_s, u"cuDNN"_s},
                                                {u"cudnn_fp8"_s, u"cuDNN, FP8"_s}};
    if (const auto at = kKnown.find(value); at != kKnown.end())
        return *at;
    if (value.isEmpty()) // no preset has these values
        return QObject::tr("Own values");
    if (value.contains(u'-'))
        return value;
    QString label = value;
    label.replace(u'_', u' ');
    label[0] = label[0].toUpper();
    return label;
}

} // namespace prism::ui::format
