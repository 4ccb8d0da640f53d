#!/bin/bash
TP=4
ARGS="
 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 \
 --tensor-model-parallel-size $TP --pipeline-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64
 --bf16 --swiglu --group-query-attention --num-query-groups 8 --use-distributed-optimizer"
torchrun --nproc_per_node 8 pretrain_gpt.py $ARGS --vocab-size 32000
